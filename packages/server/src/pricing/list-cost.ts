/**
 * What a request costs by a price list.
 */
import type { AttoUsd, ChatUsage, PriceTier, TokenPrices } from './price.ts'
import { attoUsdOf } from './usd.ts'

/**
 * More tokens than any request can have; a greater number from an upstream is counted as this many, so that sums stay
 * in 64 bits.
 */
const MAX_TOKENS = 1_000_000_000

/** Tokens of a request by the kind that prices them; every token is in exactly one. */
export interface PricedTokens {
  readonly input: bigint
  readonly cachedInput: bigint
  readonly cacheWrite: bigint
  readonly cacheWriteLong: bigint
  readonly audioInput: bigint
  readonly output: bigint
  readonly audioOutput: bigint
  readonly imageOutput: bigint
}

/**
 * Makes any number a count: not a number and negative are 0, fractions count as a whole token, and there is a limit.
 */
export function tokenCount(tokens: number): bigint {
  if (!(tokens > 0)) return 0n
  return BigInt(Math.ceil(Math.min(tokens, MAX_TOKENS)))
}

/**
 * Splits usage so that every token is priced once: cached tokens and cache writes are parts of the prompt, reasoning
 * is a part of the completion. Parts that are greater than their whole are cut to it.
 */
export function splitTokens(usage: ChatUsage): PricedTokens {
  const prompt = tokenCount(usage.promptTokens)
  const cachedInput = least(tokenCount(usage.cachedTokens), prompt)
  const written = least(tokenCount(usage.cacheWriteTokens), prompt - cachedInput)
  const cacheWriteLong = least(tokenCount(usage.cacheWriteLongTokens ?? 0), written)
  const audioInput = least(tokenCount(usage.audioInputTokens ?? 0), prompt - cachedInput - written)
  const completion = tokenCount(usage.completionTokens)
  const audioOutput = least(tokenCount(usage.audioOutputTokens ?? 0), completion)
  const imageOutput = least(tokenCount(usage.imageOutputTokens ?? 0), completion - audioOutput)
  return {
    input: prompt - cachedInput - written - audioInput,
    cachedInput,
    cacheWrite: written - cacheWriteLong,
    cacheWriteLong,
    audioInput,
    output: completion - audioOutput - imageOutput,
    audioOutput,
    imageOutput,
  }
}

/**
 * The tier that prices the whole request: the last one whose limit the prompt exceeds.
 *
 * @returns null when the base prices apply.
 */
export function findTier(prices: TokenPrices, promptTokens: number): PriceTier | null {
  let found: PriceTier | null = null
  for (const tier of prices.tiers) {
    if (promptTokens > tier.aboveInputTokens) found = tier
  }
  return found
}

/**
 * Usage × list prices, in atto-dollars and not rounded. A kind without a price of its own costs what the kind it is a
 * part of costs.
 *
 * Source: decision 0003 (cost of a chat request without a reported cost).
 */
export function listCost(prices: TokenPrices, usage: ChatUsage): AttoUsd {
  const tokens = splitTokens(usage)
  const rate = findTier(prices, usage.promptTokens) ?? prices
  return attoUsdOf(
    tokens.input * rate.input +
      tokens.cachedInput * (rate.cachedInput ?? rate.input) +
      tokens.cacheWrite * (rate.cacheWrite ?? rate.input) +
      tokens.cacheWriteLong * longWritePrice(prices, rate) +
      tokens.audioInput * (prices.audioInput ?? rate.input) +
      tokens.output * rate.output +
      tokens.audioOutput * (prices.audioOutput ?? rate.output) +
      tokens.imageOutput * (prices.imageOutput ?? rate.output) +
      (prices.request ?? 0n) * tokenCount(usage.requests ?? 1),
  )
}

/** What a write with a long life costs at a rate, which is that of the base or of a tier. */
export function longWritePrice(prices: TokenPrices, rate: TokenPrices | PriceTier): bigint {
  const own = rate.cacheWriteLong ?? null
  if (own !== null) return own
  const write = rate.cacheWrite ?? rate.input
  const base = prices.cacheWriteLong ?? 0n
  return base > write ? base : write
}

function least(left: bigint, right: bigint): bigint {
  return left < right ? left : right
}
