import { type ComparedPrices, type Exact, nanocreditsFrom, priceWarnings } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { pricesQuery } from '../../api/operator.ts'
import type { PricesSearch } from '../../app/operator-search.ts'
import { Credits } from '../../ui/credits.tsx'
import { Failure } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { Mark, type Tone } from '../../ui/mark.tsx'
import { Empty, Page } from '../../ui/page.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { bodyRow, cell, headCell, restCell, right, table, tableFrame } from '../../ui/table.ts'
import { RowsSkeleton } from './rows-skeleton.tsx'

const route = getRouteApi('/signed-in/team/$teamId/operator/prices')

type Price = Exact<ComparedPrices>['data'][number]
type Warning = (typeof priceWarnings)[number]

const WARNINGS: Readonly<Record<Warning, { readonly text: string; readonly why: string; readonly tone: Tone }>> = {
  card_below_cost: {
    text: 'card below cost + 20 %',
    why: 'Requests are charged by their cost: nothing is lost, but callers pay more than the card says.',
    tone: 'careful',
  },
  cost_unknown: {
    text: 'cost unknown',
    why: 'No list says what it costs, and its upstream does not report it: a loss would stay unseen. Set a price.',
    tone: 'bad',
  },
  reported_only: {
    text: 'cost by report',
    why: 'No list says what it costs; its upstream reports it with each answer, which decides.',
    tone: 'plain',
  },
  bundled_list: {
    text: 'bundled price',
    why: 'Its cost is from the list that comes with the gateway, and may be old.',
    tone: 'careful',
  },
  guess: { text: 'guessed price', why: 'The list says itself that this price is a guess.', tone: 'careful' },
}

function isShown(price: Price, { q = '', show }: PricesSearch): boolean {
  const words = q.toLowerCase().split(/\s+/)
  const text = `${price.id} ${price.name} ${price.alias_for ?? ''} ${price.upstreams.join(' ')}`.toLowerCase()
  if (!words.every((word) => text.includes(word))) return false
  if (show === undefined) return true
  if (show === 'featured') return price.featured
  return show === 'warnings' ? price.warnings.length > 0 : price.warnings.includes(show)
}

export function PricesPage() {
  const search = route.useSearch()
  const { data, error } = useQuery(pricesQuery)
  const shown = data?.data.filter((price) => isShown(price, search)) ?? []
  const names = new Set(data?.data.flatMap(({ upstreams }) => upstreams))
  const picked = priceWarnings.find((each) => each === search.show)
  const why = picked === undefined ? null : WARNINGS[picked].why
  return (
    <Page
      title="Prices"
      lead="What everything is sold at, what it costs, and which of card and cost + 20 % decides: the larger."
    >
      <div className="flex flex-col gap-4">
        <Filters search={search} />
        <Failure error={error} />
        {data === undefined && error === null && <RowsSkeleton />}
        {data !== undefined && data.unsold_aliases.length > 0 && (
          <p className="rounded bg-danger-soft px-3 py-2 text-danger">
            Not sold, since nobody could tell what they cost: {data.unsold_aliases.join(', ')}.
          </p>
        )}
        {data !== undefined && (
          <p role="status" className="text-[12px] text-soft">
            {shown.length === data.data.length
              ? `${shown.length} models`
              : `${shown.length} of ${data.data.length} models`}
          </p>
        )}
        {data !== undefined && shown.length === 0 && (
          <Empty text={search.show === 'warnings' ? 'Nothing to look at: every cost is known.' : 'No model matches.'} />
        )}
        {why !== null && <p className="text-soft">{why}</p>}
        {shown.length > 0 && <PriceTable prices={shown} hasOneUpstream={names.size === 1} />}
      </div>
    </Page>
  )
}

function Filters({ search }: { readonly search: PricesSearch }) {
  const navigate = route.useNavigate()
  const set = (change: PricesSearch): void => {
    const next = Object.entries({ ...search, ...change }).filter(([, value]) => value !== '' && value !== undefined)
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

interface PriceTableProps {
  readonly prices: readonly Price[]
  /** Then nobody needs to be told which. */
  readonly hasOneUpstream: boolean
}

function PriceTable({ prices, hasOneUpstream }: PriceTableProps) {
  return (
    <div className={tableFrame} role="region" aria-label="Prices" tabIndex={0}>
      <table className={table}>
        <thead>
          <tr>
            <th className={headCell}>Model</th>
            <th className={clsx(headCell, 'max-sm:px-1')}>Price for</th>
            <th className={clsx(headCell, right, 'hidden sm:table-cell')}>Card, credits</th>
            <th className={clsx(headCell, right, 'hidden sm:table-cell')}>Cost, credits</th>
            <th className={clsx(headCell, right)}>Sold at, credits</th>
            <th className={clsx(headCell, right)}>Margin</th>
            <th className={clsx(headCell, 'hidden sm:table-cell')}>Decides</th>
          </tr>
        </thead>
        {prices.map((price) => (
          <PriceRows key={price.id} price={price} hasOneUpstream={hasOneUpstream} />
        ))}
      </table>
    </div>
  )
}

const BPS_PER_PERCENT = 100

function marginText(bps: number | null): string {
  return bps === null ? '–' : `${(bps / BPS_PER_PERCENT).toLocaleString(undefined, { maximumFractionDigits: 1 })} %`
}

/** Prices are printed to the nanocredit, and each may have been rounded up by one. */
const PRINTED_APART = 2n

/** The larger of both decides; where they are the same, neither does. */
function ruleText({ card, cost, rule }: Price['lines'][number]): string {
  if (card !== null && cost !== null) {
    const apart = nanocreditsFrom(card) - (nanocreditsFrom(cost) * 12n) / 10n
    if (apart <= PRINTED_APART && apart >= -PRINTED_APART) return 'both give the same'
  }
  return rule === 'card' ? 'card' : 'cost + 20 %'
}

interface PriceRowsProps extends Pick<PriceTableProps, 'hasOneUpstream'> {
  readonly price: Price
}

function PriceRows({ price, hasOneUpstream }: PriceRowsProps) {
  return (
    <tbody className="border-b border-line/70 last:border-b-0">
      {price.lines.map((line, index) => (
        <tr key={line.kind} className={clsx(bodyRow, '[&>td]:border-b-0')}>
          {index === 0 && (
            <td rowSpan={price.lines.length} className={clsx(restCell, 'align-top sm:min-w-52')}>
              <ModelCell price={price} hasOneUpstream={hasOneUpstream} />
            </td>
          )}
          <td className={clsx(cell, 'whitespace-nowrap text-soft max-sm:px-1')}>
            <span className="max-sm:hidden">{line.kind === 'unit' ? 'one ' : '1M '}</span>
            {line.kind === 'unit' ? (price.unit ?? 'unit') : line.kind}
          </td>
          <Amount value={line.card} isAside />
          <Amount value={line.cost} isAside />
          <Amount value={line.selling} />
          <td className={clsx(cell, right, 'whitespace-nowrap')}>{marginText(line.margin_bps)}</td>
          <td className={clsx(cell, 'hidden whitespace-nowrap sm:table-cell')}>{ruleText(line)}</td>
        </tr>
      ))}
    </tbody>
  )
}

function ModelCell({ price, hasOneUpstream }: PriceRowsProps) {
  return (
    <>
      <div className="font-medium">{price.name}</div>
      <div className="font-mono text-[12px] break-all text-soft">{price.id}</div>
      <div className="mt-1 flex flex-wrap gap-1">
        {!hasOneUpstream && price.upstreams.map((name) => <Mark key={name}>{name}</Mark>)}
        {price.warnings.map((warning) => (
          <span key={warning} title={WARNINGS[warning].why}>
            <Mark tone={WARNINGS[warning].tone}>{WARNINGS[warning].text}</Mark>
          </span>
        ))}
      </div>
    </>
  )
}

interface AmountProps {
  readonly value: Price['lines'][number]['cost']
  /** Whether a phone has no room for it. */
  readonly isAside?: boolean
}

function Amount({ value, isAside = false }: AmountProps) {
  return (
    <td className={clsx(cell, right, isAside && 'hidden sm:table-cell')}>
      {value === null ? <span className="text-soft">–</span> : <Credits value={value} withUnit={false} />}
    </td>
  )
}
