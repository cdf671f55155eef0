import type { Exact, TeamStatement } from '@svc/contract'
import { formatUsd, nanocreditsFrom, usdShown } from '@svc/contract'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { ArrowLeft } from 'lucide-react'
import { statementEntriesQuery, statementQuery } from '../../api/funding.ts'
import { useSignedIn, useTeam } from '../../api/session.ts'
import { backLink } from '../../ui/back-link.ts'
import { Failure } from '../../ui/failure.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { CsvLink, PrintButton, usePrintedLight } from '../documents/paper.tsx'
import { StatementEntries } from './statement-entries.tsx'
import { exactText, KIND_TEXTS, monthOf, monthsBetween, monthText, signedText, utcText } from './statement-text.ts'

const route = getRouteApi('/signed-in/team/$teamId/fund/statement')

/** The account's month: what it had, what came, what went, what it has. */
export function StatementPage() {
  const team = useTeam()
  const search = route.useSearch()
  const month = search.month ?? monthOf(new Date())
  const statement = useSuspenseQuery(statementQuery(team.id, month)).data
  const entries = useQuery(statementEntriesQuery(team.id, month, search.after))
  usePrintedLight()
  return (
    <>
      <Link to="/team/$teamId/fund" params={{ teamId: team.id }} className={backLink}>
        <ArrowLeft size={14} aria-hidden />
        Funding
      </Link>
      <Page title={`Statement of ${monthText(month)}`} actions={<Actions month={month} />}>
        <div className="flex flex-col gap-5">
          <Head statement={statement} />
          <Card>
            <Sums statement={statement} />
          </Card>
          {entries.error !== null && <Failure error={entries.error} />}
          {entries.data === undefined && entries.error === null && <Skeleton className="h-64 w-full" />}
          {entries.data !== undefined && <StatementEntries page={entries.data} search={{ ...search, month }} />}
        </div>
      </Page>
    </>
  )
}

function Actions({ month }: { readonly month: string }) {
  const team = useTeam()
  return (
    <>
      <CsvLink href={`/api/console/teams/${team.id}/statement/csv?month=${month}`}>Export CSV</CsvLink>
      <PrintButton />
    </>
  )
}

function Head({ statement }: { readonly statement: Exact<TeamStatement> }) {
  const team = useTeam()
  const { gateway } = useSignedIn()
  const navigate = route.useNavigate()
  const months = monthsBetween(statement.first_month, monthOf(new Date()))
  return (
    <div className="flex flex-wrap items-end justify-between gap-4">
      <p className="text-soft">
        {gateway.brand}, {team.name}
        <br />
        <span className="text-[12px]">
          Account {statement.account_id}. Times and months are UTC.
          {!statement.is_over && ` As of ${utcText(statement.as_of)}; more may be booked.`}
        </span>
      </p>
      <div className="w-48 print:hidden">
        <SelectField
          label="Month"
          value={statement.month}
          options={months.map((month) => ({ value: month, text: monthText(month) }))}
          onPick={(month) =>
            void navigate({ to: '/team/$teamId/fund/statement', params: { teamId: team.id }, search: { month } })
          }
        />
      </div>
    </div>
  )
}

/** Kinds that every statement shows, whether there was any or not. */
const ALWAYS = new Set(['deposit', 'charge'])

function Sums({ statement }: { readonly statement: Exact<TeamStatement> }) {
  const shown = statement.sums.filter(({ kind, entries }) => entries > 0 || ALWAYS.has(kind))
  return (
    <table className="w-full" aria-label="The month in sums">
      <tbody>
        <SumRow
          name="Opening balance"
          note={utcText(statement.from)}
          amount={statement.opening_credits}
          text={exactText(statement.opening_credits)}
        />
        {shown.map(({ kind, entries, credits }) => (
          <SumRow
            key={kind}
            name={KIND_TEXTS[kind]}
            note={entries === 1 ? '1 entry' : `${entries.toLocaleString()} entries`}
            amount={credits}
            text={signedText(credits)}
          />
        ))}
        <SumRow
          name={statement.is_over ? 'Closing balance' : 'Balance now'}
          note={utcText(statement.as_of)}
          amount={statement.closing_credits}
          text={exactText(statement.closing_credits)}
          isTotal
        />
      </tbody>
    </table>
  )
}

interface SumRowProps {
  readonly name: string
  readonly note: string
  readonly amount: string
  readonly text: string
  readonly isTotal?: boolean
}

function SumRow({ name, note, amount, text, isTotal = false }: SumRowProps) {
  const usd = formatUsd(nanocreditsFrom(amount))
  return (
    <tr className={isTotal ? 'border-t border-line-strong' : ''}>
      <th scope="row" className={clsx('py-2 pr-3 text-left align-top', isTotal ? 'font-semibold' : 'font-normal')}>
        {name}
        <div className="text-[12px] font-normal text-soft">{note}</div>
      </th>
      <td className="py-2 text-right align-top">
        <span className={clsx('break-all', isTotal && 'font-semibold')}>{text}</span>{' '}
        <span className="font-normal text-soft">credits</span>
        <div className="text-[12px] font-normal break-all text-soft">{usdShown(usd, 'exact')}</div>
      </td>
    </tr>
  )
}
