import type { Exact, TeamStatementEntries, TeamStatementEntry } from '@svc/contract'
import { shortDecimal } from '@svc/contract'
import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Download } from 'lucide-react'
import { useTeam } from '../../api/session.ts'
import type { StatementSearch } from '../../app/search.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Empty } from '../../ui/page.tsx'
import { NetworkMark } from '../../ui/network-mark.tsx'
import { bodyRow, cell, headCell, restCell, right, table, tableFrame } from '../../ui/table.ts'
import { textLink } from '../../ui/text-link.ts'
import { useReceipt } from '../receipt/use-receipt.ts'
import { exactText, signedText, utcText } from './statement-text.ts'

interface StatementEntriesProps {
  readonly page: Exact<TeamStatementEntries>
  readonly search: StatementSearch
}

/** Every movement of the balance, oldest first, with the balance after it. */
export function StatementEntries({ page, search }: StatementEntriesProps) {
  const team = useTeam()
  if (page.data.length === 0) {
    return (
      <Empty
        text="Nothing moved the balance in this month."
        action={
          <Link to="/team/$teamId/fund" params={{ teamId: team.id }} className={buttonLook('secondary')}>
            Add credits
          </Link>
        }
      />
    )
  }
  return (
    <section aria-label="Entries" className="flex flex-col gap-3">
      <div className={tableFrame} role="region" aria-label="List of entries" tabIndex={0}>
        <table className={table}>
          <thead>
            <tr>
              <th className={clsx(headCell, 'hidden sm:table-cell')}>Booked</th>
              <th className={headCell}>What</th>
              <th className={clsx(headCell, right)}>Credits</th>
              <th className={clsx(headCell, right, 'max-sm:hidden print:table-cell')}>Balance</th>
            </tr>
          </thead>
          <tbody>
            {search.after !== undefined && (
              <tr className="text-soft">
                <td className={clsx(cell, 'hidden sm:table-cell')} />
                <td className={cell} colSpan={2}>
                  Carried over
                </td>
                <td className={clsx(cell, right, 'max-sm:hidden print:table-cell')}>
                  {exactText(page.opening_credits)}
                </td>
              </tr>
            )}
            {page.data.map((entry) => (
              <tr key={entry.id} className={bodyRow}>
                <td className={clsx(cell, 'hidden whitespace-nowrap sm:table-cell')}>{utcText(entry.at)}</td>
                <td className={restCell}>
                  <What entry={entry} />
                  <div className="text-[12px] text-soft sm:hidden">{utcText(entry.at)}</div>
                </td>
                <td className={clsx(cell, right, 'whitespace-nowrap')}>
                  {signedText(entry.credits)}
                  <div className="text-[12px] text-soft sm:hidden print:hidden">
                    <span className="sr-only">balance </span>
                    {exactText(entry.balance_credits)}
                  </div>
                </td>
                <td className={clsx(cell, right, 'whitespace-nowrap max-sm:hidden print:table-cell')}>
                  {exactText(entry.balance_credits)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Paging page={page} search={search} />
    </section>
  )
}

const linkLook =
  'inline-block min-h-[24px] py-[2px] underline decoration-line-strong underline-offset-2 hover:text-accent'

function What({ entry }: { readonly entry: Exact<TeamStatementEntry> }) {
  const team = useTeam()
  if (entry.kind === 'charge') {
    return (
      <>
        <Link
          to="/team/$teamId/usage/$requestId"
          params={{ teamId: team.id, requestId: entry.id }}
          className={clsx(linkLook, 'font-mono text-[12.5px] leading-5 max-sm:block max-sm:truncate')}
        >
          {entry.model ?? 'request'}
        </Link>
        <div className="text-[12px] text-soft">
          {entry.type}, key {entry.key_name}
        </div>
      </>
    )
  }
  if (entry.deposit !== null) {
    return (
      <>
        <Link
          to="/team/$teamId/fund/deposits/$depositId"
          params={{ teamId: team.id, depositId: entry.deposit.id }}
          className={linkLook}
        >
          Deposit of {shortDecimal(entry.deposit.amount)} {entry.deposit.asset}
        </Link>{' '}
        <NetworkMark chainId={entry.deposit.chainId} />
        <div className="max-w-32 truncate font-mono sm:max-w-56 text-[12px] text-soft">{entry.deposit.txHash}</div>
      </>
    )
  }
  return (
    <>
      {entry.kind === 'grant' ? 'Granted by the operator' : 'Correction by the operator'}
      {entry.reason !== null && <div className="text-[12px] text-soft">{entry.reason}</div>}
      <EntryReceipt id={entry.id} />
    </>
  )
}

/** Charges and deposits have it in their drawers. */
function EntryReceipt({ id }: { readonly id: string }) {
  const { download, isBusy, error } = useReceipt({ kind: 'entry', id })
  return (
    <div className="print:hidden">
      <Button look="quiet" className="-ml-3" isBusy={isBusy} onClick={() => void download()}>
        <Download size={14} aria-hidden />
        Receipt
      </Button>
      <Failure error={error} />
    </div>
  )
}

function Paging({ page, search }: StatementEntriesProps) {
  const team = useTeam()
  const { after, ...rest } = search
  const place = { to: '/team/$teamId/fund/statement', params: { teamId: team.id }, className: textLink } as const
  if (after === undefined && !page.has_more) return null
  return (
    <div className="flex justify-between print:hidden">
      {after === undefined ? (
        <span />
      ) : (
        <Link {...place} search={rest}>
          First entries
        </Link>
      )}
      {page.has_more && page.last_id !== null && (
        <Link {...place} search={{ ...rest, after: page.last_id }}>
          Next entries
        </Link>
      )}
    </div>
  )
}
