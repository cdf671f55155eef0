import { MARGIN_TEXT } from '@svc/contract'
import { formatPerMillion } from '../pricing/card.ts'
import type { CardRate, TokenPrices } from '../pricing/price.ts'
import { chargeForCost } from '../pricing/usd.ts'
import type { Catalog } from './catalog.ts'
import { type Model, pricesOf } from './model.ts'

/** An alias whose card alone would sell below cost plus margin. */
export interface UnderpricedAlias {
  readonly alias: string
  /** Nanocredits per token: the card, and what the route's price and the margin come to. */
  readonly card: CardRate
  readonly needed: CardRate
}

/**
 * Finds every alias whose card price is below its route's price × 1.2, at the base prices or at a tier.
 *
 * No loss comes of it, since the larger of card and cost is charged; but the caller pays more than the card says.
 * Source: decision 0003 (warning at start).
 */
export function findUnderpricedAliases(catalog: Catalog): readonly UnderpricedAlias[] {
  return catalog.list().flatMap((model) => underpriced(model) ?? [])
}

/** One sentence that names all of them; null when there is none. */
export function describeUnderpricedAliases(aliases: readonly UnderpricedAlias[]): string | null {
  if (aliases.length === 0) return null
  const named = aliases.map(({ alias, card, needed }) => `${alias} (${perMillion(card)}, needed ${perMillion(needed)})`)
  return (
    `These aliases have a card price below what their upstream costs plus ${MARGIN_TEXT}, in credits per 1M tokens ` +
    `in/out, and are charged by the cost of each request instead: ${named.join(', ')}.`
  )
}

function underpriced(model: Model): UnderpricedAlias | null {
  const card = model.price?.card ?? null
  const prices = pricesOf(model).flatMap((price) => price.list?.prices ?? [])
  if (card === null || prices.length === 0) return null
  const needed = dearestRate(prices.flatMap((price) => [price, ...price.tiers]))
  if (card.input >= needed.input && card.output >= needed.output) return null
  return { alias: model.id, card, needed }
}

function dearestRate(prices: readonly Pick<TokenPrices, 'input' | 'output'>[]): CardRate {
  const rates = prices.map((rate) => ({
    input: chargeForCost(rate.input),
    output: chargeForCost(rate.output),
  }))
  return rates.reduce((most, rate) => ({
    input: rate.input > most.input ? rate.input : most.input,
    output: rate.output > most.output ? rate.output : most.output,
  }))
}

function perMillion(rate: CardRate): string {
  return `${formatPerMillion(rate.input)}/${formatPerMillion(rate.output)}`
}
