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
 * The dearest of several prices, kind by kind: what a request can cost at whichever upstream serves it.
 *
 * @returns null for none.
 */
export function dearestSellingPrice(prices: readonly ChatPrice[]): SellingPrice | null {
  const selling = prices.map(sellingPrice)
  const [first] = selling
  if (first === undefined || selling.length === 1) return first ?? null
  const bounds = [...new Set(selling.flatMap((price) => price.tiers.map((tier) => tier.aboveInputTokens)))]
  const requests = selling.map((price) => price.request).filter((request) => request !== null)
  return {
    ...dearestRate(selling),
    request: requests.length === 0 ? null : greatest(requests),
    tiers: bounds
      .toSorted((left, right) => left - right)
      .map((bound) => ({ aboveInputTokens: bound, ...dearestRate(selling.map((price) => rateAbove(price, bound))) })),
  }
}

function rateAbove(price: SellingPrice, bound: number): SellingRate {
  return price.tiers.findLast((tier) => tier.aboveInputTokens <= bound) ?? price
}

function dearestRate(rates: readonly SellingRate[]): SellingRate {
  const input = greatest(rates.map((rate) => rate.input))
  // Where one has no price of its own for a kind, that kind costs there what all input costs.
  const kind = (name: 'cachedInput' | 'cacheWrite'): bigint | null =>
    rates.every((rate) => rate[name] === null) ? null : greatest(rates.map((rate) => rate[name] ?? rate.input))
  return {
    input,
    output: greatest(rates.map((rate) => rate.output)),
    cachedInput: kind('cachedInput'),
    cacheWrite: kind('cacheWrite'),
  }
}

function greatest(amounts: readonly bigint[]): bigint {
  return amounts.reduce((most, amount) => (amount > most ? amount : most))
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
