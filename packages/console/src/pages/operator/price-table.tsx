import {
  type ComparedPrices,
  type Exact,
  MARGIN_BPS,
  MARGIN_TEXT,
  nanocreditsFrom,
  type priceWarnings,
  shortDecimal,
} from '@svc/contract'
import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { useTeam } from '../../api/session.ts'
import { Credits } from '../../ui/credits.tsx'
import { Mark, type Tone } from '../../ui/mark.tsx'
import { bodyRow, cell, headCell, right, table, tableFrame } from '../../ui/table.ts'

export type Price = Exact<ComparedPrices>['data'][number]
type Warning = (typeof priceWarnings)[number]

export const WARNINGS: Readonly<Record<Warning, { readonly text: string; readonly why: string; readonly tone: Tone }>> =
  {
    card_below_cost: {
      text: `card below cost + ${MARGIN_TEXT}`,
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

interface PriceTableProps {
  readonly prices: readonly Price[]
  /** Every model, shown or not: where there is one upstream, its name says nothing. */
  readonly all: readonly Price[]
}

export function PriceTable({ prices, all }: PriceTableProps) {
  const hasOneUpstream = new Set(all.flatMap(({ upstreams }) => upstreams)).size === 1
  const byId = new Map(all.map((price) => [price.id, price]))
  return (
    <div className={tableFrame} role="region" aria-label="Prices" tabIndex={0}>
      <table className={table}>
        <thead>
          <tr>
            <th className={clsx(headCell, 'max-sm:hidden')}>Model</th>
            <th className={headCell}>Price for</th>
            <th className={clsx(headCell, right, 'hidden sm:table-cell')}>Card, credits</th>
            <th className={clsx(headCell, right, 'hidden sm:table-cell')}>Cost, credits</th>
            <th className={clsx(headCell, right)}>Sold at, credits</th>
            <th className={clsx(headCell, right)}>Margin</th>
            <th className={clsx(headCell, 'hidden sm:table-cell')}>Decides</th>
          </tr>
        </thead>
        {prices.map((price) => (
          <PriceRows
            key={price.id}
            price={price}
            target={byId.get(price.alias_for ?? '') ?? null}
            hasOneUpstream={hasOneUpstream}
          />
        ))}
      </table>
    </div>
  )
}

const BPS_PER_PERCENT = 100
const BPS = 10_000

function marginText(bps: number | null): string {
  return bps === null ? '–' : `${(bps / BPS_PER_PERCENT).toLocaleString(undefined, { maximumFractionDigits: 1 })} %`
}

/** Prices are printed to the nanocredit, and each may have been rounded up by one. */
const PRINTED_APART = 2n

/** The larger of both decides; where they are the same, neither does. */
function ruleText({ card, cost, rule }: Price['lines'][number]): string {
  if (card !== null && cost !== null) {
    const apart = nanocreditsFrom(card) - (nanocreditsFrom(cost) * BigInt(BPS + MARGIN_BPS)) / BigInt(BPS)
    if (apart <= PRINTED_APART && apart >= -PRINTED_APART) return 'both give the same'
  }
  return rule === 'card' ? 'card' : `cost + ${MARGIN_TEXT}`
}

interface PriceRowsProps {
  readonly price: Price
  /** The row of the model that an alias leads to; null for what is no alias, or leads to one that is not listed. */
  readonly target: Price | null
  readonly hasOneUpstream: boolean
}

/** What the price is for, sold at, margin: the model is above them where there is no room beside them. */
const PHONE_COLUMNS = 3

function PriceRows(props: PriceRowsProps) {
  const { price } = props
  return (
    <tbody className="border-b border-line/70 last:border-b-0">
      <tr className="sm:hidden">
        <td colSpan={PHONE_COLUMNS} className="px-3 pt-3">
          <ModelCell {...props} />
        </td>
      </tr>
      {price.lines.map((line, index) => (
        <tr key={line.kind} className={clsx(bodyRow, 'max-sm:last:[&>td]:pb-3 [&>td]:border-b-0')}>
          {index === 0 && (
            <td rowSpan={price.lines.length} className={clsx(cell, 'min-w-52 align-top max-sm:hidden')}>
              <ModelCell {...props} />
            </td>
          )}
          <td className={clsx(cell, 'w-full whitespace-nowrap text-soft max-sm:py-1 sm:w-auto')}>
            <span className="max-sm:hidden">{line.kind === 'unit' ? 'one ' : '1M '}</span>
            {line.kind === 'unit' ? (price.unit ?? 'unit') : line.kind}
          </td>
          <Amount value={line.card} isAside />
          <Amount value={line.cost} isAside />
          <Amount value={line.selling} />
          <td className={clsx(cell, right, 'whitespace-nowrap max-sm:py-1')}>{marginText(line.margin_bps)}</td>
          <td className={clsx(cell, 'hidden whitespace-nowrap sm:table-cell')}>{ruleText(line)}</td>
        </tr>
      ))}
    </tbody>
  )
}

function ModelCell({ price, target, hasOneUpstream }: PriceRowsProps) {
  const team = useTeam()
  return (
    <>
      <Link
        to="/team/$teamId/models/$modelId"
        params={{ teamId: team.id, modelId: price.id }}
        data-row
        className="-my-[2px] inline-block min-h-[24px] py-[2px] font-medium hover:text-accent hover:underline"
      >
        {price.name}
      </Link>
      <div className="font-mono text-[12px] wrap-anywhere text-soft">
        {price.id}
        {price.alias_for !== null && ` → ${price.alias_for}`}
      </div>
      {target !== null && <OwnPrice target={target} alias={price} />}
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

/** What the model costs by its own name, where that is another price. */
function OwnPrice({ target, alias }: { readonly target: Price; readonly alias: Price }) {
  const sold = (price: Price): string => price.lines.map(({ kind, selling }) => `${kind} ${selling}`).join()
  if (sold(target) === sold(alias)) return null
  const prices = target.lines
    .map(({ kind, selling }) => `${shortDecimal(selling)} ${kind === 'unit' ? `per ${target.unit ?? 'unit'}` : kind}`)
    .join(', ')
  return <div className="text-[12px] text-soft">by its own name {prices}</div>
}

interface AmountProps {
  readonly value: Price['lines'][number]['cost']
  /** Whether a phone has no room for it. */
  readonly isAside?: boolean
}

function Amount({ value, isAside = false }: AmountProps) {
  return (
    <td className={clsx(cell, right, 'max-sm:py-1', isAside && 'hidden sm:table-cell')}>
      {value === null ? <span className="text-soft">–</span> : <Credits value={value} withUnit={false} />}
    </td>
  )
}
