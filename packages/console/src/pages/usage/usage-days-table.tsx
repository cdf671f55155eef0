import { formatCredits, nanocreditsOf, type Exact, type TeamUsageDays } from '@svc/contract'
import { clsx } from 'clsx'
import { Credits } from '../../ui/credits.tsx'
import { bodyRow, cell, headCell, right, table, tableFrame } from '../../ui/table.ts'
import { seriesColours } from './series-colour.ts'
import { Swatch } from './chart-parts.tsx'
import { fillDays, rankSeries } from './usage-series.ts'

const creditsOf = (amount: bigint): string => formatCredits(nanocreditsOf(amount))

/** The chart's figures in rows: the days on which anything happened, newest first. */
export function UsageDaysTable({ days }: { readonly days: Exact<TeamUsageDays> }) {
  const series = rankSeries(days)
  const colours = seriesColours(series)
  const busy = fillDays(days, series).filter(({ requests }) => requests > 0)
  return (
    <div
      className={clsx(tableFrame, 'max-h-80 overflow-y-auto')}
      role="region"
      aria-label="Credits by day"
      tabIndex={0}
    >
      <table className={table}>
        <thead className="sticky top-0 z-[1] bg-surface">
          <tr>
            <th className={clsx(headCell, 'sticky left-0 bg-surface')}>Day (UTC)</th>
            <th className={clsx(headCell, right)}>Credits</th>
            <th className={clsx(headCell, right)}>Requests</th>
            {series.map(({ group, name }) => (
              <th key={group} className={clsx(headCell, right)}>
                <span className="inline-flex max-w-40 items-center gap-1.5">
                  <Swatch colour={colours.get(group)} />
                  <span className="truncate">{name}</span>
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {busy.toReversed().map((day) => (
            <tr key={day.day} className={bodyRow}>
              <td className={clsx(cell, 'sticky left-0 bg-surface whitespace-nowrap')}>{day.day}</td>
              <td className={clsx(cell, right, 'font-medium')}>
                <Credits value={creditsOf(day.total)} withUnit={false} />
              </td>
              <td className={clsx(cell, right)}>{day.requests.toLocaleString()}</td>
              {series.map(({ group }) => (
                <td key={group} className={clsx(cell, right, !day.parts.has(group) && 'text-soft')}>
                  <Credits value={creditsOf(day.parts.get(group) ?? 0n)} withUnit={false} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
