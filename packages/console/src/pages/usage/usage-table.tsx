import type { Exact, TeamUsageRecord } from '@svc/contract'
import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { useTeam } from '../../api/session.ts'
import type { UsageSearch } from '../../app/search.ts'
import { countText } from '../../ui/count-text.ts'
import { Credits } from '../../ui/credits.tsx'
import { bodyRow, cell, headCell, restCell, right, table, tableFrame } from '../../ui/table.ts'
import { Time } from '../../ui/time.tsx'
import { UsageStatus } from './usage-status.tsx'

interface UsageTableProps {
  readonly records: readonly Exact<TeamUsageRecord>[]
  /** Stays in the address while a record is open. */
  readonly search: UsageSearch
}

/** Requests, newest first. Each leads to the sum behind its charge. */
export function UsageTable({ records, search }: UsageTableProps) {
  return (
    <div className={tableFrame} role="region" aria-label="Requests" tabIndex={0}>
      <table className={table}>
        <thead>
          <tr>
            <th className={headCell}>
              <span className="sm:hidden">Request</span>
              <span className="max-sm:hidden">When</span>
            </th>
            <th className={clsx(headCell, 'hidden sm:table-cell')}>Model</th>
            <th className={clsx(headCell, 'hidden md:table-cell')}>Key</th>
            <th className={clsx(headCell, right, 'hidden lg:table-cell')}>Used</th>
            <th className={clsx(headCell, 'hidden sm:table-cell')}>Status</th>
            <th className={clsx(headCell, right)}>Credits</th>
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <UsageRow key={record.id} record={record} search={search} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function UsageRow({ record, search }: { readonly record: Exact<TeamUsageRecord>; readonly search: UsageSearch }) {
  const team = useTeam()
  return (
    <tr className={clsx(bodyRow, 'relative')}>
      <td className={clsx(restCell, 'sm:whitespace-nowrap')}>
        <Link
          to="/team/$teamId/usage/$requestId"
          params={{ teamId: team.id, requestId: record.request_id }}
          search={search}
          resetScroll={false}
          className="after:absolute after:inset-0"
        >
          <span className="block truncate font-mono text-[12.5px] sm:hidden">{record.model}</span>
          <span className="max-sm:text-[12px] max-sm:text-soft">
            <Time seconds={record.created} />
          </span>
        </Link>
        {record.status !== 'ok' && (
          <span className="ml-2 text-[12px] sm:hidden">
            <UsageStatus record={record} />
          </span>
        )}
      </td>
      <td className={clsx(cell, 'hidden max-w-48 truncate font-mono text-[12.5px] sm:table-cell xl:max-w-80')}>
        {record.model}
      </td>
      <td className={clsx(cell, 'hidden max-w-40 truncate md:table-cell')}>{record.key_name}</td>
      <td className={clsx(cell, right, 'hidden whitespace-nowrap lg:table-cell')}>{usedText(record)}</td>
      <td className={clsx(cell, 'hidden sm:table-cell')}>
        <UsageStatus record={record} />
      </td>
      <td className={clsx(cell, right)}>
        <Credits value={record.credits_charged} withUnit={false} />
      </td>
    </tr>
  )
}

/** What was counted. */
export function usedText({ units, total_tokens: tokens }: Exact<TeamUsageRecord>): string {
  if (units !== null) return countText(units.quantity, units.kind.replace(/s$/, ''))
  return tokens === null ? '' : countText(tokens, 'token')
}
