import { MARGIN_TEXT, priceWarnings } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { pricesQuery } from '../../api/operator.ts'
import { useSession } from '../../api/session.ts'
import type { PricesSearch } from '../../app/operator-search.ts'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { Failure } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { MoreRows, rowsText } from '../../ui/more-rows.tsx'
import { Empty, Page } from '../../ui/page.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { OffersCard } from './offers-card.tsx'
import { type Price, PriceTable, WARNINGS } from './price-table.tsx'
import { RowsSkeleton } from './rows-skeleton.tsx'

const route = getRouteApi('/signed-in/team/$teamId/operator/prices')

function isShown(price: Price, { q = '', show }: PricesSearch): boolean {
  const words = q.toLowerCase().split(/\s+/)
  const text = `${price.id} ${price.name} ${price.alias_for ?? ''} ${price.upstreams.join(' ')}`.toLowerCase()
  if (!words.every((word) => text.includes(word))) return false
  if (show === undefined) return true
  if (show === 'featured') return price.featured
  return show === 'warnings' ? price.warnings.length > 0 : price.warnings.includes(show)
}

/** So many are a few screens of a phone. */
const STEP_ROWS = 40

export function PricesPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { data, error } = useQuery(pricesQuery)
  const found = data?.data.filter((price) => isShown(price, search)) ?? []
  const shown = found.slice(0, search.rows ?? STEP_ROWS)
  const picked = priceWarnings.find((each) => each === search.show)
  const why = picked === undefined ? null : WARNINGS[picked].why
  return (
    <Page
      title="Prices"
      lead={`What everything is sold at, what it costs, and which of card and cost + ${MARGIN_TEXT} decides: the larger.`}
    >
      <div className="flex flex-col gap-4">
        <OffersCard />
        <Filters search={search} />
        <Failure error={error} />
        {data === undefined && error === null && <RowsSkeleton />}
        {data !== undefined && data.unsold_aliases.length > 0 && (
          <p className="rounded bg-danger-soft px-3 py-2 text-danger">
            Not sold, because their price is unknown: {data.unsold_aliases.join(', ')}.
          </p>
        )}
        {data !== undefined && (
          <p role="status" className="text-[12px] text-soft">
            {rowsText({ shown: shown.length, total: found.length, all: data.data.length, what: 'models' })}
          </p>
        )}
        {data !== undefined && found.length === 0 && (
          <Empty
            text={search.show === 'warnings' ? 'Nothing to look at: every cost is known.' : 'No model matches.'}
            action={
              <Button look="secondary" onClick={() => void navigate({ search: {}, replace: true })}>
                Show everything
              </Button>
            }
          />
        )}
        {why !== null && <p className="text-soft">{why}</p>}
        {shown.some(({ alias_for: target }) => target !== null) && <AliasNote />}
        {data !== undefined && shown.length > 0 && <PriceTable prices={shown} all={data.data} />}
        <MoreRows
          shown={shown.length}
          total={found.length}
          step={STEP_ROWS}
          what="models"
          onMore={(rows) => void navigate({ search: { ...search, rows }, replace: true, resetScroll: false })}
        />
      </div>
    </Page>
  )
}

/** Why one model has two prices. */
function AliasNote() {
  const { gateway } = useSession()
  return (
    <p className="max-w-3xl text-[12px] text-soft">
      A name with an arrow is an alias. It is sold by the rate card, in the unit of <Code>SVC_RATE_CARD_UNIT</Code>, or
      by the cost of its route + {MARGIN_TEXT} where that is larger. By its own name the same model is sold by its list,
      which can be far from the card.
      {gateway.is_sandbox && ' In the sandbox an alias costs its card less the margin, so the card is exact.'}
    </p>
  )
}

function Filters({ search }: { readonly search: PricesSearch }) {
  const navigate = route.useNavigate()
  const set = (change: PricesSearch): void => {
    const { rows: _rows, ...rest } = search
    const next = Object.entries({ ...rest, ...change }).filter(([, value]) => value !== '' && value !== undefined)
    void navigate({ search: Object.fromEntries(next) as PricesSearch, replace: true, resetScroll: false })
  }
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_11rem] gap-3 sm:max-w-2xl">
      <TextField
        label="Search"
        type="search"
        value={search.q ?? ''}
        placeholder="model or upstream"
        onChange={(event) => set({ q: event.target.value })}
      />
      <SelectField
        label="Show"
        value={search.show ?? ''}
        options={[
          { value: '', text: 'Everything' },
          { value: 'featured', text: 'Featured' },
          { value: 'warnings', text: 'With a warning' },
          ...priceWarnings.map((each) => ({ value: each, text: `– ${WARNINGS[each].text}` })),
        ]}
        onPick={(show) => set({ show: show as NonNullable<PricesSearch['show']> })}
      />
    </div>
  )
}
