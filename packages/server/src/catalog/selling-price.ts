/**
 * What a model is sold at, per token: the price that the lists show.
 */
import { usdOfNanocredits, sellingPriceTenthAtto } from '../pricing/usd.ts'
import type { AttoUsd, CardRate, ChatPrice, PriceTier, TokenPrices } from '../pricing/price.ts'

/** In units of 10⁻¹⁹ USD, so that price × 1.2 is exact. Null kinds have no price of their own. */
export interface SellingRate {
  readonly input: bigint
  readonly output: bigint
  readonly cachedInput: bigint | null
  readonly cacheWrite: bigint | null
}

export interface SellingPrice extends SellingRate {
  readonly request: bigint | null
  readonly tiers: readonly (SellingRate & { readonly aboveInputTokens: number })[]
}

/**
 * Gives the selling price: the list price plus margin, or the card, whichever is more; for an alias each kind by
 * itself. A charge compares the whole request, so it is never more than these prices say.
 *
 * Source: decision 0003 (price lists show the price that is charged).
 */
export function sellingPrice(price: ChatPrice): SellingPrice {
  if (price.card === null) return dearerPrice(null, price.list.prices)
  if (price.list === null) return { ...cardRate(price.card), request: null, tiers: [] }
  return dearerPrice(price.card, price.list.prices)
}

function dearerPrice(card: CardRate | null, prices: TokenPrices): SellingPrice {
  return {
    ...dearerRate(card, prices),
    request: prices.request === null ? null : sellingPriceTenthAtto(prices.request),
    tiers: prices.tiers.map((tier) => ({ aboveInputTokens: tier.aboveInputTokens, ...dearerRate(card, tier) })),
  }
}

function cardRate(card: CardRate): SellingRate {
  return { input: ofCard(card.input), output: ofCard(card.output), cachedInput: null, cacheWrite: null }
}

function dearerRate(card: CardRate | null, list: TokenPrices | PriceTier): SellingRate {
  const input = card === null ? 0n : ofCard(card.input)
  const output = card === null ? 0n : ofCard(card.output)
  return {
    input: dearer(input, list.input),
    output: dearer(output, list.output),
    cachedInput: list.cachedInput === null ? null : dearer(input, list.cachedInput),
    cacheWrite: list.cacheWrite === null ? null : dearer(input, list.cacheWrite),
  }
}

function dearer(card: bigint, list: AttoUsd): bigint {
  const selling = sellingPriceTenthAtto(list)
  return card > selling ? card : selling
}

function ofCard(rate: CardRate['input']): bigint {
  return usdOfNanocredits(rate) * 10n
}
