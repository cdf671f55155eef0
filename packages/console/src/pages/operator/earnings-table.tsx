import { type Exact, nanocreditsFrom, type OperatorOverview } from '@svc/contract'
import { getRouteApi, Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Credits } from '../../ui/credits.tsx'
import { bodyRow, cell, headCell, restCell, right, table } from '../../ui/table.ts'
import { textLink } from '../../ui/text-link.ts'

type Row = Exact<OperatorOverview>['total']

interface EarningsTableProps {
  /** What the first column names. */
  readonly what: string
  readonly rows: readonly Row[]
  /** What the names lead to. */
  readonly link?: 'account'
}

/** Charges, costs and losses of each. */
export function EarningsTable({ what, rows, link }: EarningsTableProps) {
  return (
    <div className="overflow-x-auto" role="region" aria-label={`By ${what.toLowerCase()}`} tabIndex={0}>
      <table className={table}>
        <thead>
          <tr>
            <th scope="col" className={clsx(headCell, 'pl-0')}>
              {what}
            </th>
            <th scope="col" className={clsx(headCell, right, 'hidden sm:table-cell')}>
              Requests
            </th>
            <th scope="col" className={clsx(headCell, right, 'hidden md:table-cell')}>
              Failed
            </th>
            <th scope="col" className={clsx(headCell, right)}>
              Charged
            </th>
            <th scope="col" className={clsx(headCell, right, 'hidden sm:table-cell')}>
              Cost
            </th>
            <th scope="col" className={clsx(headCell, right, 'max-md:pr-0')}>
              Left
            </th>
            <th scope="col" className={clsx(headCell, right, 'hidden pr-0 md:table-cell')}>
              Written off
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name} className={bodyRow}>
              <td className={clsx(restCell, 'pl-0 wrap-anywhere')}>
                {link === 'account' ? <AccountLink row={row} /> : (row.label ?? row.name)}
              </td>
              <td className={clsx(cell, right, 'hidden sm:table-cell')}>{row.requests.toLocaleString()}</td>
              <td className={clsx(cell, right, 'hidden md:table-cell', row.failed > 0 && 'text-danger')}>
                {row.failed.toLocaleString()}
              </td>
              <td className={clsx(cell, right)}>
                <Credits value={row.credits_charged} withUnit={false} />
              </td>
              <td className={clsx(cell, right, 'hidden sm:table-cell')}>
                <Credits value={row.credits_cost} withUnit={false} />
              </td>
              <td className={clsx(cell, right, 'max-md:pr-0', row.credits_left.startsWith('-') && 'text-danger')}>
                <Credits value={row.credits_left} withUnit={false} />
                <div className="text-[12px] text-soft">{marginText(row)}</div>
              </td>
              <td className={clsx(cell, right, 'hidden pr-0 md:table-cell')}>
                <Credits value={row.credits_written_off} withUnit={false} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const route = getRouteApi('/signed-in/team/$teamId')

function AccountLink({ row: { name, label } }: { readonly row: Row }) {
  const { teamId } = route.useParams()
  return (
    <Link to="/team/$teamId/operator/accounts/$accountId" params={{ teamId, accountId: name }} className={textLink}>
      {label ?? name}
    </Link>
  )
}

/** What is left of the charges, in per cent with one decimal; a dash where nothing was charged. */
export function marginText({ credits_charged: charged, credits_left: left }: Row): string {
  const all = nanocreditsFrom(charged)
  if (all === 0n) return '–'
  return `${(Number((nanocreditsFrom(left) * 10_000n) / all) / 100).toFixed(1)} %`
}
