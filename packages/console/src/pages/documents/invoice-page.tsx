import { type Exact, type TeamInvoice, invoiceNumberText, usdShown } from '@svc/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { ArrowLeft } from 'lucide-react'
import { invoiceQuery } from '../../api/funding.ts'
import { useTeam } from '../../api/session.ts'
import { backLink } from '../../ui/back-link.ts'
import { Page } from '../../ui/page.tsx'
import { textLink } from '../../ui/text-link.ts'
import { exactText, KIND_TEXTS, monthText, signedText, utcDayText } from '../statement/statement-text.ts'
import { CsvLink, Paper, PrintButton } from './paper.tsx'

const route = getRouteApi('/signed-in/team/$teamId/fund/invoices/$number')

/** One invoice as it was issued. */
export function InvoicePage() {
  const team = useTeam()
  const { number } = route.useParams()
  const invoice = useSuspenseQuery(invoiceQuery(team.id, Number(number))).data
  const text = invoiceNumberText(invoice.number)
  return (
    <>
      <Link to="/team/$teamId/fund" params={{ teamId: team.id }} className={backLink}>
        <ArrowLeft size={14} aria-hidden />
        Funding
      </Link>
      <Page
        title={`Invoice ${text}`}
        actions={
          <>
            <CsvLink href={`/api/console/teams/${team.id}/invoices/${invoice.number}/csv`}>Download CSV</CsvLink>
            <PrintButton />
          </>
        }
      >
        <Paper
          name={`Invoice ${text}`}
          seller={invoice.seller}
          buyer={invoice.buyer}
          isTest={invoice.is_test}
          facts={[
            { name: 'Invoice', text },
            { name: 'Issued', text: utcDayText(invoice.issued_at) },
            { name: 'Period', text: `${monthText(invoice.month)} (UTC)` },
            { name: 'Account', text: invoice.account_id },
          ]}
        >
          <Lines invoice={invoice} />
          <Movements invoice={invoice} />
          {invoice.note !== null && <p className="whitespace-pre-line">{invoice.note}</p>}
        </Paper>
        <p className="mt-4 max-w-3xl text-[12px] text-soft print:hidden">
          Every entry of the month is in its{' '}
          <Link
            to="/team/$teamId/fund/statement"
            params={{ teamId: team.id }}
            search={{ month: invoice.month }}
            className={clsx(textLink, 'text-[12px]')}
          >
            statement
          </Link>
          .
        </p>
      </Page>
    </>
  )
}

const head = 'border-b border-line-strong pb-2 text-[12px] font-medium text-soft'
const row = 'border-b border-line/70 py-2 align-top'

function Lines({ invoice }: { readonly invoice: Exact<TeamInvoice> }) {
  return (
    <table className="w-full" aria-label="Lines">
      <thead>
        <tr>
          <th className={clsx(head, 'text-left')}>What</th>
          <th className={clsx(head, 'pl-3 text-right max-sm:hidden print:table-cell')}>Requests</th>
          <th className={clsx(head, 'pl-3 text-right')}>Credits</th>
          <th className={clsx(head, 'pl-3 text-right')}>USD</th>
        </tr>
      </thead>
      <tbody>
        {invoice.lines.map((line) => (
          <tr key={`${line.kind} ${line.type} ${line.model}`}>
            <th scope="row" className={clsx(row, 'text-left font-normal break-words')}>
              {line.kind === 'correction' ? 'Corrections and refunds' : (line.model ?? 'Requests in the archive')}
              {line.type !== null && <span className="block text-[12px] text-soft">{line.type}</span>}
            </th>
            <td className={clsx(row, 'pl-3 text-right max-sm:hidden print:table-cell')}>
              {line.entries.toLocaleString('en')}
            </td>
            <td className={clsx(row, 'pl-3 text-right break-all')}>{exactText(line.credits)}</td>
            <td className={clsx(row, 'pl-3 text-right break-all')}>{usdShown(line.usd, 'exact')}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr className="font-semibold">
          <th scope="row" className="pt-3 text-left" colSpan={1}>
            Total
          </th>
          <td className="max-sm:hidden print:table-cell" />
          <td className="pt-3 pl-3 text-right break-all">{exactText(invoice.total_credits)}</td>
          <td className="pt-3 pl-3 text-right break-all">{usdShown(invoice.total_usd, 'exact')}</td>
        </tr>
        <tr>
          <td colSpan={4} className="pt-3 text-right">
            <span className="text-[20px] font-semibold">{usdShown(invoice.total_usd_cents, 'exact')}</span>
            <span className="block text-[12px] text-soft">
              To the cent, halves away from zero. Paid from prepaid credits: nothing is due.
            </span>
          </td>
        </tr>
      </tfoot>
    </table>
  )
}

/** How the balance went in the month: payments are here, and what was used of them above. */
function Movements({ invoice }: { readonly invoice: Exact<TeamInvoice> }) {
  const shown = invoice.sums.filter(({ credits, kind }) => credits !== '0' || kind === 'deposit')
  return (
    <section aria-label="Balance in the month" className="break-inside-avoid">
      <h2 className="mb-1 font-semibold">Balance in the month, in credits</h2>
      <table className="w-full" aria-label="Balance in the month">
        <tbody>
          <Sum name="Opening balance" text={exactText(invoice.opening_credits)} />
          {shown.map(({ kind, credits }) => (
            <Sum key={kind} name={KIND_TEXTS[kind]} text={signedText(credits)} />
          ))}
          <Sum name="Closing balance" text={exactText(invoice.closing_credits)} isTotal />
        </tbody>
      </table>
      {invoice.booked_later_credits !== '0' && (
        <p className="mt-2 text-[12px] text-soft">
          {signedText(invoice.booked_later_credits)} credits were booked into this month after the invoice was issued:
          they are in the statement alone.
        </p>
      )}
    </section>
  )
}

interface SumProps {
  readonly name: string
  readonly text: string
  readonly isTotal?: boolean
}

function Sum({ name, text, isTotal = false }: SumProps) {
  return (
    <tr className={isTotal ? 'border-t border-line-strong font-semibold' : ''}>
      <th scope="row" className={clsx('py-1 text-left', !isTotal && 'font-normal')}>
        {name}
      </th>
      <td className="py-1 pl-3 text-right break-all">{text}</td>
    </tr>
  )
}
