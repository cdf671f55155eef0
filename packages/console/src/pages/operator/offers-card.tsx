import { type OfferPrice, type OfferRoute, type Offers, usdShown } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { useState } from 'react'
import { offersQuery } from '../../api/operator.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Card } from '../../ui/page.tsx'
import { bodyRow, cell, headCell, restCell, right, table, tableFrame } from '../../ui/table.ts'
import { Time } from '../../ui/time.tsx'
import { OfferDialog, type OfferDraft } from './offer-dialog.tsx'

/** Prices and routes of the file and of the console, and the ways to set more. */
export function OffersCard() {
  const { data, error } = useQuery(offersQuery)
  const [draft, setDraft] = useState<OfferDraft | null>(null)
  if (data === undefined) return <Failure error={error} />
  const rows = rowsOf(data)
  return (
    <Card
      title="What is set"
      actions={
        <div className="flex flex-wrap gap-2">
          <Button look="secondary" onClick={() => setDraft({ kind: 'price', id: '', value: null })}>
            Set a price
          </Button>
          <Button look="secondary" onClick={() => setDraft({ kind: 'route', id: '', value: null })}>
            Set a route
          </Button>
        </div>
      }
    >
      <p className="max-w-3xl text-soft">
        A price is what a model costs upstream; a route says who serves it. Those of the file go first and are changed
        there, as addresses and keys of upstreams are.
      </p>
      {data.problems.map((problem) => (
        <p key={problem} className="mt-2 text-danger">
          {problem}
        </p>
      ))}
      {rows.length > 0 && (
        <div className={clsx(tableFrame, 'mt-3')} role="region" aria-label="What is set" tabIndex={0}>
          <table className={table}>
            <thead>
              <tr>
                <th className={headCell}>Model or alias</th>
                <th className={clsx(headCell, 'max-sm:hidden')}>Set to</th>
                <th className={headCell}>Where</th>
                <th className={clsx(headCell, right)}>
                  <span className="sr-only">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <OfferRow key={`${row.kind} ${row.id}`} row={row} onEdit={() => setDraft(row)} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {draft !== null && <OfferDialog draft={draft} offers={data} onClose={() => setDraft(null)} />}
    </Card>
  )
}

type Facts = Pick<Offers['prices'][number], 'set_in' | 'at' | 'by'>
type Row = OfferDraft & Facts

function rowsOf({ prices, routes }: Offers): readonly Row[] {
  return [
    ...prices.map((price) => ({ kind: 'price' as const, ...price })),
    ...routes.map((route) => ({ kind: 'route' as const, ...route })),
  ].toSorted((a, b) => a.id.localeCompare(b.id))
}

function OfferRow({ row, onEdit }: { readonly row: Row; readonly onEdit: () => void }) {
  const isOurs = row.set_in === 'console'
  const text = row.value === null ? '' : row.kind === 'price' ? priceText(row.value) : routeText(row.value)
  return (
    <tr className={bodyRow}>
      <td className={restCell}>
        <span className="font-mono text-[12.5px] wrap-anywhere">{row.id}</span>
        <div className="text-[12px] break-words text-soft sm:hidden">{text}</div>
      </td>
      <td className={clsx(cell, 'max-sm:hidden')}>
        <span className="text-soft">{row.kind === 'price' ? 'costs' : 'served by'}</span> {text}
      </td>
      <td className={cell}>
        {isOurs ? (
          <span className="text-[12px] text-soft">
            in the console
            {row.at !== null && (
              <>
                {' '}
                <Time seconds={row.at} />
              </>
            )}
            {row.by !== null && <span className="max-sm:hidden"> by {row.by}</span>}
          </span>
        ) : (
          <Mark>in the file</Mark>
        )}
      </td>
      <td className={clsx(cell, right)}>
        {isOurs && (
          <Button look="quiet" onClick={onEdit} aria-label={`Change the ${row.kind} of ${row.id}`}>
            Change
          </Button>
        )}
      </td>
    </tr>
  )
}

function priceText({ input, output, request }: OfferPrice): string {
  const perRequest = request === null ? '' : `, ${usdShown(request, 'exact')} a request`
  return `${usdShown(input, 'exact')} in, ${usdShown(output, 'exact')} out per million${perRequest}`
}

function routeText({ targets, fallback }: OfferRoute): string {
  const names = targets.map(({ upstream, model, weight }) =>
    [upstream, model === null ? '' : `as ${model}`, weight === null ? '' : `(${weight})`].filter(Boolean).join(' '),
  )
  return `${names.join(', then ')}${fallback || targets.length === 1 ? '' : ', without fallback'}`
}
