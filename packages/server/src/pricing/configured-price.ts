/**
 * Prices as an operator writes them: US dollars per million tokens, as decimal text.
 */
import type { AttoUsd, PriceTier, TokenPrices } from './price.ts'
import { attoUsdOf, parseUsd } from './usd.ts'

/** One set of prices in USD per 1M tokens; `request` is in USD per request. Absent kinds have no price of their own. */
export interface PriceTexts {
  readonly input: string
  readonly output: string
  readonly cached_input?: string | undefined
  readonly cache_write?: string | undefined
  readonly request?: string | undefined
  readonly tiers?: readonly PriceTierTexts[] | undefined
}

export interface PriceTierTexts {
  readonly above_input_tokens: number
  readonly input: string
  readonly output: string
  readonly cached_input?: string | undefined
  readonly cache_write?: string | undefined
}

const TOKENS = 1_000_000n

/**
 * Reads configured prices, exactly to 10⁻¹⁸ USD per token; what is finer rounds up. Tiers may stand in any order.
 *
 * @returns null when a number is not a decimal of zero or more.
 */
export function readPriceTexts(texts: PriceTexts): TokenPrices | null {
  const base = readTexts(texts)
  const request = texts.request === undefined ? null : parseUsd(texts.request)
  if (base === null || (texts.request !== undefined && request === null)) return null
  const tiers: PriceTier[] = []
  for (const tier of texts.tiers ?? []) {
    const prices = readTexts(tier)
    if (prices === null) return null
    tiers.push({ aboveInputTokens: tier.above_input_tokens, ...prices })
  }
  tiers.sort((left, right) => left.aboveInputTokens - right.aboveInputTokens)
  return { ...base, request, tiers }
}

function readTexts(texts: Omit<PriceTierTexts, 'above_input_tokens'>): Omit<PriceTier, 'aboveInputTokens'> | null {
  const input = perToken(texts.input)
  const output = perToken(texts.output)
  const cachedInput = texts.cached_input === undefined ? null : perToken(texts.cached_input)
  const cacheWrite = texts.cache_write === undefined ? null : perToken(texts.cache_write)
  if (input === null || output === null) return null
  if (texts.cached_input !== undefined && cachedInput === null) return null
  if (texts.cache_write !== undefined && cacheWrite === null) return null
  return { input, output, cachedInput, cacheWrite }
}

function perToken(text: string): AttoUsd | null {
  const perMillion = parseUsd(text)
  return perMillion === null ? null : attoUsdOf((perMillion + TOKENS - 1n) / TOKENS)
}
