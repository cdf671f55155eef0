import { type Exact, type OfferPreview, shortDecimal } from '@svc/contract'
import { clsx } from 'clsx'
import { Fragment } from 'react'
import { Mark } from '../../ui/mark.tsx'
import { bodyRow, cell, headCell, table, tableFrame } from '../../ui/table.ts'
import { WARNINGS } from './price-table.tsx'

type Change = Exact<OfferPreview>['data'][number]
type Offered = Change['before']

/** Every model that would be sold otherwise: before, and after. */
export function OfferPreviewTable({ preview }: { readonly preview: Exact<OfferPreview> }) {
  if (preview.data.length === 0) {
    return <p className="rounded bg-sunken px-3 py-2 text-soft">This changes no price.</p>
  }
  return (
    <div className={tableFrame} role="region" aria-label="What changes" tabIndex={0}>
      <table className={table}>
        <thead>
          <tr>
            <th className={clsx(headCell, 'max-sm:hidden')}>Model</th>
            <th className={headCell}>Now</th>
            <th className={headCell}>Then</th>
          </tr>
        </thead>
        <tbody>
          {preview.data.map((change) => (
            <Fragment key={change.id}>
              <tr className="sm:hidden">
                <td colSpan={3} className={clsx(cell, 'border-b-0 pb-0 font-mono text-[12.5px] wrap-anywhere')}>
                  {change.id}
                </td>
              </tr>
              <tr className={bodyRow}>
                <td className={clsx(cell, 'align-top max-sm:hidden')}>
                  <span className="font-mono text-[12.5px] wrap-anywhere">{change.id}</span>
                </td>
                <td className={clsx(cell, 'align-top')}>
                  <Offer offered={change.before} />
                </td>
                <td className={clsx(cell, 'align-top')}>
                  <Offer offered={change.after} />
                </td>
              </tr>
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Offer({ offered }: { readonly offered: Offered }) {
  if (offered === null) return <span className="text-soft">not sold</span>
  return (
    <div className="flex flex-col gap-0.5">
      <span className="text-soft">{offered.upstreams.join(', ')}</span>
      {offered.lines.map(({ kind, cost, selling, margin_bps: margin }) => (
        <span key={kind} className="figures">
          {kind}: {shortDecimal(selling)} credits
          <span className="text-[12px] text-soft">
            {cost === null ? ', cost unknown' : `, cost ${shortDecimal(cost)}`}
            {margin !== null && `, ${(margin / 100).toLocaleString()} %`}
          </span>
        </span>
      ))}
      {offered.warnings.map((warning) => (
        <span key={warning}>
          <Mark tone={WARNINGS[warning].tone}>{WARNINGS[warning].text}</Mark>
        </span>
      ))}
    </div>
  )
}
