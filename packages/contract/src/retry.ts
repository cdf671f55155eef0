/** When and how long the typed client waits before it tries again: as the OpenAI clients do. */
import type { FetchResponse } from './client-types.ts'

const FIRST_DELAY_MS = 500
const DELAY_MS_MAX = 8_000
/** A longer wait than this is the caller's to decide. */
const RETRY_AFTER_MS_MAX = 60_000

/** Whether an answer invites another attempt: by its own word, or else by its status. */
export function isWorthRetrying(response: Pick<FetchResponse, 'status' | 'headers'>): boolean {
  const advice = response.headers.get('x-should-retry')
  if (advice === 'true') return true
  if (advice === 'false') return false
  if ((retryAfterMsOf(response.headers) ?? 0) > RETRY_AFTER_MS_MAX) return false
  return response.status === 408 || response.status === 429 || response.status >= 500
}

/** The wait that an answer asks for, in milliseconds; null when it names none that can be read. */
export function retryAfterMsOf(headers: Pick<Headers, 'get'>): number | null {
  const exact = decimalOf(headers.get('retry-after-ms'))
  if (exact !== null) return exact
  const text = headers.get('retry-after')
  const seconds = decimalOf(text)
  if (seconds !== null) return seconds * 1_000
  const until = text === null ? Number.NaN : Date.parse(text) - Date.now()
  return Number.isNaN(until) ? null : Math.max(0, until)
}

function decimalOf(text: string | null): number | null {
  return text !== null && /^\d{1,9}(?:\.\d{1,3})?$/.test(text) ? Number(text) : null
}

/**
 * The wait before the next attempt, in milliseconds: what the answer asked for, or twice as long each time, less a
 * random quarter.
 *
 * @param attempt 0 after the first.
 */
export function retryDelayMs(attempt: number, retryAfterMs: number | null): number {
  if (retryAfterMs !== null && retryAfterMs <= RETRY_AFTER_MS_MAX) return retryAfterMs
  return Math.min(DELAY_MS_MAX, FIRST_DELAY_MS * 2 ** attempt) * (1 - Math.random() * 0.25)
}
