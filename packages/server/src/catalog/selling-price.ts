/**
 * What a model is sold at, per token: the price that the lists show.
 */
import { longWritePrice } from '../pricing/list-cost.ts'
import { attoUsdOf, sellingPriceTenthAtto, usdOfNanocredits } from '../pricing/usd.ts'
import type { AttoUsd, CardRate, ChatPrice, PriceTier, TokenPrices } from '../pricing/price.ts'

/** In units of 10⁻¹⁹ USD, so that price × 1.2 is exact. Null kinds have no price of their own. */
export interface SellingRate {
  readonly input: bigint
  readonly output: bigint
  readonly cachedInput: bigint | null
  readonly cacheWrite: bigint | null
  /** Cache writes with a long life; null also where they cost what all writes cost. */
  readonly cacheWriteLong: bigint | null
}

/** Media tokens; they cost the same at every length of the prompt. */
interface SellingMedia {
  readonly audioInput: bigint | null
  readonly audioOutput: bigint | null
  readonly imageOutput: bigint | null
}

export interface SellingPrice extends SellingRate, SellingMedia {
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
    ...dearestMedia(selling),
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
  const longWrites = rates.map((rate) => rate.cacheWriteLong ?? rate.cacheWrite ?? rate.input)
  return {
    input,
    output: greatest(rates.map((rate) => rate.output)),
    cachedInput: kind('cachedInput'),
    cacheWrite: kind('cacheWrite'),
    cacheWriteLong: rates.every((rate) => rate.cacheWriteLong === null) ? null : greatest(longWrites),
  }
}

function dearestMedia(prices: readonly SellingPrice[]): SellingMedia {
  const kind = (name: keyof SellingMedia, whole: 'input' | 'output'): bigint | null =>
    prices.every((price) => price[name] === null) ? null : greatest(prices.map((price) => price[name] ?? price[whole]))
  return {
    audioInput: kind('audioInput', 'input'),
    audioOutput: kind('audioOutput', 'output'),
    imageOutput: kind('imageOutput', 'output'),
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
  if (price.list === null) return { ...cardRate(price.card), ...NO_MEDIA, request: null, tiers: [] }
  return dearerPrice(price.card, price.list.prices)
}

const NO_MEDIA: SellingMedia = { audioInput: null, audioOutput: null, imageOutput: null }
const NO_CARD = { input: 0n, output: 0n } as const

function dearerPrice(card: CardRate | null, prices: TokenPrices): SellingPrice {
  const floor = card === null ? NO_CARD : cardRate(card)
  const kind = (least: bigint, list: AttoUsd | null | undefined): bigint | null =>
    list === null || list === undefined ? null : dearer(least, list)
  return {
    ...dearerRate(floor, prices, prices),
    audioInput: kind(floor.input, prices.audioInput),
    audioOutput: kind(floor.output, prices.audioOutput),
    imageOutput: kind(floor.output, prices.imageOutput),
    request: prices.request === null ? null : sellingPriceTenthAtto(prices.request),
    tiers: prices.tiers.map((tier) => ({
      aboveInputTokens: tier.aboveInputTokens,
      ...dearerRate(floor, prices, tier),
    })),
  }
}

function cardRate(card: CardRate): SellingRate {
  const none = { cachedInput: null, cacheWrite: null, cacheWriteLong: null }
  return { input: ofCard(card.input), output: ofCard(card.output), ...none }
}

/** @param rate the base prices or those of a tier. */
function dearerRate(
  { input, output }: Pick<SellingRate, 'input' | 'output'>,
  prices: TokenPrices,
  rate: TokenPrices | PriceTier,
): SellingRate {
  const longWrite = attoUsdOf(longWritePrice(prices, rate))
  return {
    input: dearer(input, rate.input),
    output: dearer(output, rate.output),
    cachedInput: rate.cachedInput === null ? null : dearer(input, rate.cachedInput),
    cacheWrite: rate.cacheWrite === null ? null : dearer(input, rate.cacheWrite),
    cacheWriteLong: longWrite === (rate.cacheWrite ?? rate.input) ? null : dearer(input, longWrite),
  }
}

function dearer(card: bigint, list: AttoUsd): bigint {
  const selling = sellingPriceTenthAtto(list)
  return card > selling ? card : selling
}

function ofCard(rate: CardRate['input']): bigint {
  return usdOfNanocredits(rate) * 10n
}
