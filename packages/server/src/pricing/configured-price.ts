/**
 * Prices as an operator writes them: US dollars per million tokens, as decimal text.
 */
import type { AttoUsd, PriceTier, TokenPrices } from './price.ts'
import { attoUsdOf, parseUsd } from './usd.ts'

/** One set of prices in USD per 1M tokens; `request` is in USD per request. Null means that there is no such price. */
export interface PriceTexts {
  readonly input: string
  readonly output: string
  readonly cachedInput: string | null
  readonly cacheWrite: string | null
  readonly request: string | null
  readonly tiers: readonly PriceTierTexts[]
}

export interface PriceTierTexts {
  readonly aboveInputTokens: number
  readonly input: string
  readonly output: string
  readonly cachedInput: string | null
  readonly cacheWrite: string | null
}

const TOKENS = 1_000_000n

/**
 * Reads configured prices, exactly to 10⁻¹⁸ USD per token; what is finer rounds up. Tiers may stand in any order.
 *
 * @returns null when a number is not a decimal of zero or more.
 */
export function readPriceTexts(texts: PriceTexts): TokenPrices | null {
  const base = readTexts(texts)
  const request = texts.request === null ? null : parseUsd(texts.request)
  if (base === null || (texts.request !== null && request === null)) return null
  const tiers: PriceTier[] = []
  for (const tier of texts.tiers) {
    const prices = readTexts(tier)
    if (prices === null) return null
    tiers.push({ aboveInputTokens: tier.aboveInputTokens, ...prices })
  }
  tiers.sort((left, right) => left.aboveInputTokens - right.aboveInputTokens)
  return { ...base, request, tiers }
}

function readTexts(texts: Omit<PriceTierTexts, 'aboveInputTokens'>): Omit<PriceTier, 'aboveInputTokens'> | null {
  const input = perToken(texts.input)
  const output = perToken(texts.output)
  const cachedInput = texts.cachedInput === null ? null : perToken(texts.cachedInput)
  const cacheWrite = texts.cacheWrite === null ? null : perToken(texts.cacheWrite)
  if (input === null || output === null) return null
  if (texts.cachedInput !== null && cachedInput === null) return null
  if (texts.cacheWrite !== null && cacheWrite === null) return null
  return { input, output, cachedInput, cacheWrite }
}

function perToken(text: string): AttoUsd | null {
  const perMillion = parseUsd(text)
  return perMillion === null ? null : attoUsdOf((perMillion + TOKENS - 1n) / TOKENS)
}
