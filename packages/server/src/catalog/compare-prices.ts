import { nanocreditsOf, type Nanocredits } from '@svc/contract'
import type { AttoUsd, ListSource } from '../pricing/price.ts'
import { chargeForCost, costAtPar } from '../pricing/usd.ts'
import type { Catalog } from './catalog.ts'
import { type Model, offeringsOf, pricesOf } from './model.ts'
import { TRUST } from './find-media-offer.ts'
import { dearestSellingPrice } from './selling-price.ts'

/** What an operator should look at. */
export type PriceWarning =
  /** The card is below what the upstream costs plus the margin: each request is charged by its cost instead. */
  | 'card_below_cost'
  /** No list says what it costs, and its upstream does not report it either. */
  | 'cost_unknown'
  /** No list says what it costs: only what the upstream reports with each answer. */
  | 'reported_only'
  /** What it costs is from the list that comes with the gateway, and may be old. */
  | 'bundled_list'
  /** The list says itself that the price is a guess. */
  | 'guess'

/** One price: for a million tokens of input or output, or for one unit. */
export interface ComparedLine {
  readonly kind: 'input' | 'output' | 'unit'
  /** The rate card's, margin included; null for what has no card. */
  readonly card: Nanocredits | null
  /** The dearest that an upstream which serves it charges us, before the margin; null where no list says. */
  readonly cost: Nanocredits | null
  /** What a request is sold at: the larger of card, and cost with margin. */
  readonly selling: Nanocredits
  /** (selling − cost) ÷ cost in basis points; null where the cost is unknown or nothing. */
  readonly marginBps: number | null
  /** Which of both decides. */
  readonly rule: 'card' | 'cost'
}

export interface ComparedPrice {
  readonly id: string
  readonly name: string
  readonly type: Model['type']
  readonly featured: boolean
  readonly aliasFor: string | null
  /** Names of the upstreams that may serve it. */
  readonly upstreams: readonly string[]
  readonly unit: 'image' | 'second' | 'character' | 'byte' | null
  readonly lines: readonly ComparedLine[]
  /** Where the cost is from; the least trusted of several, null where no list says it. */
  readonly source: ListSource | null
  readonly warnings: readonly PriceWarning[]
}

/**
 * Compares what everything is sold at with what it costs. Pure. @param reportsCost whether an upstream states costs.
 */
export function comparePrices(catalog: Catalog, reportsCost: (upstream: string) => boolean): readonly ComparedPrice[] {
  return catalog.list().map((model) => compare(model, reportsCost))
}

function compare(model: Model, reportsCost: (upstream: string) => boolean): ComparedPrice {
  const { id, name, type, featured, aliasFor, media } = model
  const upstreams = [...new Set(offeringsOf(model).map(({ upstream }) => upstream))]
  const lines = [...tokenLines(model), ...unitLines(model)]
  const source = leastTrusted(model)
  const isReported = upstreams.every(reportsCost)
  const isCostKnown = lines.every(({ cost }) => cost !== null)
  const warnings: PriceWarning[] = [
    ...(lines.some(({ card, rule }) => card !== null && rule === 'cost') ? (['card_below_cost'] as const) : []),
    ...(isCostKnown ? [] : isReported ? (['reported_only'] as const) : (['cost_unknown'] as const)),
    ...(source === 'snapshot' && !isReported ? (['bundled_list'] as const) : []),
    ...(media?.isGuess === true ? (['guess'] as const) : []),
  ]
  return { id, name, type, featured, aliasFor, upstreams, unit: unitOf(media), lines, source, warnings }
}

function tokenLines(model: Model): ComparedLine[] {
  const prices = pricesOf(model)
  const selling = dearestSellingPrice(prices)
  if (selling === null) return []
  const card = model.price?.card ?? null
  const lists = prices.map(({ list }) => list?.prices ?? null)
  return (['input', 'output'] as const).map((kind) => {
    const costs = lists.map((list) => (list === null ? null : list[kind]))
    return lineOf(kind, {
      // A price of a token in nanocredits, for a million of them.
      card: card === null ? null : nanocreditsOf(card[kind] * 1_000_000n),
      // 10⁻¹⁸ USD for a token are 10⁻⁹ credits for a million tokens.
      cost: costs.includes(null) ? null : nanocreditsOf(greatest(costs)),
      selling: nanocreditsOf((selling[kind] + 9n) / 10n),
    })
  })
}

function unitLines({ media }: Model): ComparedLine[] {
  const cost = media === null ? null : unitCost(media.prices)
  if (cost === null) return []
  return [lineOf('unit', { card: null, cost: costAtPar(cost), selling: chargeForCost(cost) })]
}

function lineOf(
  kind: ComparedLine['kind'],
  { card, cost, selling }: Pick<ComparedLine, 'card' | 'cost' | 'selling'>,
): ComparedLine {
  const marginBps = cost === null || cost === 0n ? null : Number(((selling - cost) * 10_000n) / cost)
  return { kind, card, cost, selling, marginBps, rule: card !== null && card >= selling ? 'card' : 'cost' }
}

function greatest(costs: readonly (bigint | null)[]): bigint {
  return costs.reduce<bigint>((most, cost) => (cost !== null && cost > most ? cost : most), 0n)
}

function unitOf(media: Model['media']): ComparedPrice['unit'] {
  if (media === null) return null
  if (media.prices.type === 'image') return 'image'
  return media.prices.type === 'speech' ? media.prices.unit : 'second'
}

function unitCost(prices: NonNullable<Model['media']>['prices']): AttoUsd {
  switch (prices.type) {
    case 'image':
      return prices.perImage
    case 'speech':
      return prices.perUnit
    default:
      return prices.perSecond
  }
}

function leastTrusted(model: Model): ListSource | null {
  const lists = pricesOf(model).flatMap(({ list }) => (list === null ? [] : [list.source]))
  const sources = model.media === null ? lists : [...lists, model.media.source]
  return TRUST.find((source) => sources.includes(source)) ?? null
}
