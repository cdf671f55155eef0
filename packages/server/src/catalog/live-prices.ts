/**
 * Prices as OpenRouter-shaped lists write them: USD per unit as text, with a discount and with overrides for long
 * prompts.
 */
import { z } from 'zod'
import type { AttoUsd, PriceTier, TokenPrices } from '../pricing/price.ts'
import { attoUsdOf, parseUsd, ZERO_USD } from '../pricing/usd.ts'

const ONE = 10n ** 18n
/** Overrides of one model that are read. Source: own choice; no list has more than a few. */
const OVERRIDES_MAX = 20

/** List keys and what they are in our prices. */
const keys = {
  prompt: 'input',
  completion: 'output',
  input_cache_read: 'cachedInput',
  input_cache_write: 'cacheWrite',
  input_cache_write_1h: 'cacheWriteLong',
  request: 'request',
  audio: 'audioInput',
  audio_output: 'audioOutput',
  image_output: 'imageOutput',
} as const

type Rate = Partial<Record<(typeof keys)[keyof typeof keys], AttoUsd>>

const override = z.looseObject({
  min_prompt_tokens: z.int().min(0).nullish(),
  utc_start: z.unknown().optional(),
  utc_end: z.unknown().optional(),
})

type Override = z.output<typeof override>

interface ReadOverride {
  readonly above: number
  readonly rate: Rate
  /** Holds at some hours only. */
  readonly isTimed: boolean
}

/**
 * Reads the `pricing` object of one model.
 *
 * @param pricing untrusted.
 * @param searches whether the model searches the web with each request: then one search is a part of its price.
 * @returns `unknown` without token prices, `router` for a model that costs nothing or whose price depends on where it
 * goes, `odd` when a number is none.
 */
export function parseListPrices(
  pricing: Readonly<Record<string, unknown>>,
  searches = false,
): TokenPrices | 'unknown' | 'router' | 'odd' {
  if (isAbsent(pricing.prompt) || isAbsent(pricing.completion)) return 'unknown'
  // Routers list -1: the price is that of the model which they choose.
  if (isNegative(pricing.prompt) || isNegative(pricing.completion)) return 'router'
  const base = readRate(pricing)
  const discount = isAbsent(pricing.discount) ? ZERO_USD : amountOf(pricing.discount)
  const overrides = isAbsent(pricing.overrides) ? [] : readOverrides(pricing.overrides)
  const search = searches && !isAbsent(pricing.web_search) ? amountOf(pricing.web_search) : ZERO_USD
  if (base === null || overrides === null || discount === null || discount > ONE || search === null) return 'odd'
  const factor = ONE - discount
  const plain = rateAbove(base, overrides, 0)
  const limits = [...new Set(overrides.map((entry) => entry.above))].filter((limit) => limit > 0).sort((a, b) => a - b)
  const tiers = limits.map((limit) => tierFrom(discounted(rateAbove(base, overrides, limit), factor), limit))
  const rate = discounted(plain, factor)
  // Free by itself, by its discount, or from some length of the prompt on: nothing is sold for nothing.
  const request = attoUsdOf((rate.request ?? 0n) + search)
  const isPaidByRequest = request > 0n
  if (!isPaidByRequest && [rate, ...tiers].some(isFree)) return 'router'
  return {
    ...pricesFrom(rate),
    request: isPaidByRequest ? request : null,
    audioInput: orNull(rate.audioInput),
    audioOutput: orNull(rate.audioOutput),
    imageOutput: orNull(rate.imageOutput),
    cacheWriteLong: orNull(rate.cacheWriteLong),
    tiers,
  }
}

/** Returns null when a number is none. */
function readRate(source: Readonly<Record<string, unknown>>): Rate | null {
  const rate: Rate = {}
  for (const [listKey, key] of Object.entries(keys)) {
    const value = source[listKey]
    if (isAbsent(value)) continue
    const amount = amountOf(value)
    if (amount === null) return null
    rate[key] = amount
  }
  return rate
}

function readOverrides(source: unknown): readonly ReadOverride[] | null {
  const parsed = z.array(override).max(OVERRIDES_MAX).safeParse(source)
  if (!parsed.success) return null
  const read = parsed.data.map(readOverride)
  return read.every((entry) => entry !== null) ? read : null
}

function readOverride(entry: Override): ReadOverride | null {
  const rate = readRate(entry)
  const isTimed = !isAbsent(entry.utc_start) || !isAbsent(entry.utc_end)
  return rate === null ? null : { above: entry.min_prompt_tokens ?? 0, rate, isTimed }
}

/**
 * The prices of a prompt with more than `limit` tokens: later overrides win per key. One that holds at some hours
 * only counts where it is dearer, since a price list here has no clock.
 */
function rateAbove(base: Rate, overrides: readonly ReadOverride[], limit: number): Rate {
  const rate: Rate = { ...base }
  for (const { above, rate: changes, isTimed } of overrides) {
    if (above > limit) continue
    for (const key of Object.values(keys)) {
      const changed = changes[key]
      if (changed === undefined) continue
      if (!isTimed || changed > (rate[key] ?? 0n)) rate[key] = changed
    }
  }
  return rate
}

/** Price × factor ÷ 10¹⁸, each rounded up to 10⁻¹⁸ USD. */
function discounted(rate: Rate, factor: bigint): Rate {
  if (factor === ONE) return rate
  return Object.fromEntries(
    Object.entries(rate).map(([key, amount]) => [key, attoUsdOf((amount * factor + ONE - 1n) / ONE)]),
  )
}

function tierFrom(rate: Rate, limit: number): PriceTier {
  const cacheWriteLong = orNull(rate.cacheWriteLong)
  return {
    aboveInputTokens: limit,
    ...pricesFrom(rate),
    ...(cacheWriteLong === null ? {} : { cacheWriteLong }),
  }
}

function pricesFrom(rate: Rate): Omit<PriceTier, 'aboveInputTokens'> {
  return {
    input: rate.input ?? ZERO_USD,
    output: rate.output ?? ZERO_USD,
    cachedInput: orNull(rate.cachedInput),
    cacheWrite: orNull(rate.cacheWrite),
  }
}

/** Whether neither what is sent nor what is answered costs anything, whatever cached or spoken parts of it would. */
function isFree({ input = ZERO_USD, output = ZERO_USD }: Pick<Rate, 'input' | 'output'>): boolean {
  return input === 0n && output === 0n
}

// Lists write "0" for kinds that a model does not have; a kind that is really free is priced as the kind it is a part
// of.
function orNull(amount: AttoUsd | undefined): AttoUsd | null {
  return amount === undefined || amount === 0n ? null : amount
}

function isNegative(value: unknown): boolean {
  return (typeof value === 'string' || typeof value === 'number') && Number(value) < 0
}

function amountOf(value: unknown): AttoUsd | null {
  return typeof value === 'string' || typeof value === 'number' ? parseUsd(String(value)) : null
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}
