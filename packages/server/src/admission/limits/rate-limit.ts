/** What a limit on how often callers may ask is to its callers, wherever it is counted. */
import type { ServiceError } from '../../platform/errors/service-error.ts'
import { mostOf, tooMany } from './too-many.ts'

export const MINUTE_MS = 60_000
/** A burst is this part of the minute's requests. Source: decision 0015 (rate limits). */
const BURST_PART = 6
/**
 * The longest wait that a refusal asks for: an empty bucket of the smallest size has a request again after a minute.
 */
const WAIT_SECONDS_MAX = 60

/** What a bucket says after a request: the values of the `x-ratelimit-*` headers. */
export interface RateState {
  readonly limit: number
  readonly remaining: number
  /** Milliseconds until the bucket is full again. */
  readonly resetMs: number
}

/** What is limited. */
export interface RateKind {
  /** Names the buckets in a store that processes share, the same in every process. */
  readonly kind: string
  /** Read at each request: what holds may change while the process runs. */
  readonly perMinute: number
  /** What is counted and for whom, as in `requests with this key`: a refusal says so. */
  readonly what: string
}

/** One kind of limit: as many buckets as there are callers. */
export interface RateLimit {
  /**
   * Takes one request from a caller's bucket.
   *
   * @param perMinute the caller's own limit; absent where the kind's holds. The bucket follows when it changes.
   * @param setFor whose limit that is, as in `team`: a refusal says so. Absent says nothing.
   * @returns a promise only where processes share the bucket and this one has leased nothing of it.
   * @throws {ServiceError} `rate_limit_exceeded` with the time until the next one passes; a promise rejects with it.
   */
  take(caller: string, perMinute?: number, setFor?: string): RateState | Promise<RateState>
}

/** How many requests a full bucket lets through at once. */
export function burstOf(perMinute: number): number {
  return Math.max(1, Math.floor(perMinute / BURST_PART))
}

/** A request that came too soon. */
export interface RateRefusal {
  /** What is counted and for whom, as in `requests with this key`. */
  readonly what: string
  /** Whose limit it is; absent says nothing. */
  readonly setFor?: string | undefined
  readonly state: RateState
  /** Until the next request passes. */
  readonly waitMs: number
}

/** The refusal as an error, with the headers of the bucket. */
export function rateError({ what, setFor, state, waitMs }: RateRefusal): ServiceError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000))
  return tooMany({
    what,
    most: mostOf(`${state.limit} a minute`, setFor),
    waitSeconds: Math.min(seconds, WAIT_SECONDS_MAX),
    headers: rateHeaders(state),
  })
}

/** The headers in OpenAI's form. */
export function rateHeaders(state: RateState): Record<string, string> {
  return {
    'x-ratelimit-limit-requests': String(state.limit),
    'x-ratelimit-remaining-requests': String(state.remaining),
    'x-ratelimit-reset-requests': `${state.resetMs / 1000}s`,
  }
}
