/**
 * Prices as an operator writes them: US dollars per million tokens, as decimal text.
 */
import type { AttoUsd, PriceTier, TokenPrices } from './price.ts'
import { attoUsdOf, parseUsd } from './usd.ts'

/** One set of prices in USD per 1M tokens; `request` is in USD per request. Absent kinds have no price of their own. */
export interface PriceTexts extends RateTexts {
  readonly audio_input?: string | undefined
  readonly audio_output?: string | undefined
  readonly image_output?: string | undefined
  readonly request?: string | undefined
  readonly tiers?: readonly PriceTierTexts[] | undefined
}

export interface PriceTierTexts extends RateTexts {
  readonly above_input_tokens: number
}

interface RateTexts {
  readonly input: string
  readonly output: string
  readonly cached_input?: string | undefined
  readonly cache_write?: string | undefined
  readonly cache_write_long?: string | undefined
}

const TOKENS = 1_000_000n

/**
 * Reads configured prices, exactly to 10⁻¹⁸ USD per token; what is finer rounds up. Tiers may come in any order.
 *
 * @returns null when a number is not a decimal of zero or more.
 */
export function readPriceTexts(texts: PriceTexts): TokenPrices | null {
  const base = readRate(texts)
  const media = readKinds({
    audioInput: texts.audio_input,
    audioOutput: texts.audio_output,
    imageOutput: texts.image_output,
  })
  const request = texts.request === undefined ? null : parseUsd(texts.request)
  if (base === null || media === null || (texts.request !== undefined && request === null)) return null
  const tiers: PriceTier[] = []
  for (const tier of texts.tiers ?? []) {
    const prices = readRate(tier)
    if (prices === null) return null
    tiers.push({ aboveInputTokens: tier.above_input_tokens, ...prices })
  }
  tiers.sort((left, right) => left.aboveInputTokens - right.aboveInputTokens)
  return { ...base, ...media, request, tiers }
}

function readRate(texts: RateTexts): Omit<PriceTier, 'aboveInputTokens'> | null {
  const input = perToken(texts.input)
  const output = perToken(texts.output)
  const cache = readKinds({
    cachedInput: texts.cached_input,
    cacheWrite: texts.cache_write,
    cacheWriteLong: texts.cache_write_long,
  })
  if (input === null || output === null || cache === null) return null
  return { input, output, cachedInput: null, cacheWrite: null, ...cache }
}

/** The kinds that are written down. @returns null when one of them is no number. */
function readKinds<Kind extends string>(
  texts: Readonly<Record<Kind, string | undefined>>,
): Partial<Record<Kind, AttoUsd>> | null {
  const read: Partial<Record<Kind, AttoUsd>> = {}
  for (const kind of Object.keys(texts) as Kind[]) {
    const text = texts[kind]
    if (text === undefined) continue
    const price = perToken(text)
    if (price === null) return null
    read[kind] = price
  }
  return read
}

function perToken(text: string): AttoUsd | null {
  const perMillion = parseUsd(text)
  return perMillion === null ? null : attoUsdOf((perMillion + TOKENS - 1n) / TOKENS)
}
