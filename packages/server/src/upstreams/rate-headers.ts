/** What an upstream's answer says of the rate that is left to a key. */
import type { IncomingHttpHeaders } from 'node:http'

/** One rate of a key: of requests, of tokens, and so on. */
export interface LeftRate {
  /** What it is a rate of, as the upstream calls it. */
  readonly of: string
  readonly remaining: number
  /** The most that may remain; null where the answer does not say. */
  readonly limit: number | null
  /** In how many milliseconds it is whole again; null where the answer does not say. */
  readonly resetMs: number | null
}

/**
 * Names of such headers. Source: OpenAI's "Rate limits" (`x-ratelimit-remaining-requests`), which Groq, Azure, Mistral
 * and others follow; OpenRouter's "Limits" (`x-ratelimit-remaining`); Anthropic's "Rate limits"
 * (`anthropic-ratelimit-requests-remaining`).
 */
const REMAINING = /^(?:x-ratelimit-remaining(?:-([a-z0-9-]{1,40}))?|anthropic-ratelimit-([a-z0-9-]{1,40})-remaining)$/

/** Rates of one answer that are read; more are of no known upstream. Source: own choice. */
const RATES_MAX = 8
/** No rate is waited for longer, in milliseconds: a day, as daily quotas have it. */
const RESET_MAX_MS = 86_400_000

/** Reads all rates that an answer names. @param now in milliseconds since the epoch, for times of day. */
export function leftRates(headers: IncomingHttpHeaders, now: number): readonly LeftRate[] {
  const rates: LeftRate[] = []
  for (const name of Object.keys(headers)) {
    if (!name.includes('ratelimit') || rates.length === RATES_MAX) continue
    const [, common, anthropic] = REMAINING.exec(name) ?? []
    const remaining = REMAINING.test(name) ? numberOf(headers[name]) : null
    if (remaining === null) continue
    const beside = (word: string): unknown =>
      anthropic === undefined
        ? headers[common === undefined ? `x-ratelimit-${word}` : `x-ratelimit-${word}-${common}`]
        : headers[`anthropic-ratelimit-${anthropic}-${word}`]
    const resetMs = waitOf(beside('reset'), now)
    rates.push({ of: common ?? anthropic ?? '', remaining, limit: numberOf(beside('limit')), resetMs })
  }
  return rates
}

function numberOf(value: unknown): number | null {
  if (typeof value !== 'string' || !/^\d{1,15}(?:\.\d{1,9})?$/.test(value.trim())) return null
  return Number(value)
}

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
/** From this on a number is no count of seconds but a time of day: in seconds, and a thousand times that in milliseconds. */
const EPOCH_SECONDS_MIN = 1_000_000_000

/** `20ms`, `1m30.5s`, `12` (seconds), a time in seconds or milliseconds since the epoch, or RFC 3339. */
function waitOf(value: unknown, now: number): number | null {
  if (typeof value !== 'string' || value.length > 40) return null
  const text = value.trim()
  const number = numberOf(text)
  if (number !== null) return bounded(waitOfNumber(number, now))
  if (/^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|s|m|h|d)){1,5}$/.test(text)) {
    const parts = [...text.matchAll(/(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h|d)/g)]
    return bounded(parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit as keyof typeof UNITS], 0))
  }
  return bounded(Date.parse(text) - now)
}

function waitOfNumber(number: number, now: number): number {
  if (number >= EPOCH_SECONDS_MIN * 1_000) return number - now
  return number >= EPOCH_SECONDS_MIN ? number * 1_000 - now : number * 1_000
}

function bounded(milliseconds: number): number | null {
  return Number.isFinite(milliseconds) ? Math.min(Math.max(Math.ceil(milliseconds), 0), RESET_MAX_MS) : null
}
