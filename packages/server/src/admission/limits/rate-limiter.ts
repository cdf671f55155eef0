/** Token buckets in this process. A bucket fills evenly over a minute and lets a sixth of it through at once. */
import type { MonotonicClock } from '../../platform/runtime/clock.ts'
import { burstOf, MINUTE_MS, rateError, type RateKind, type RateLimit, type RateState } from './rate-limit.ts'

/** Buckets in memory at most; full ones are dropped first, since they say nothing. */
const BUCKETS_MAX = 100_000
/** So many are dropped at once, so that a flood of new callers does not walk over all buckets for each of them. */
const BUCKETS_DROPPED = 10_000
/** An empty bucket is full again after so long at most: the smallest holds one request, which may take a minute. */
const FULL_MS = MINUTE_MS

interface Bucket {
  tokens: number
  filledAt: number
}

/** One kind of limit: as many buckets as there are callers, of one size unless a caller has its own. */
export class RateLimiter implements RateLimit {
  readonly #kind: Pick<RateKind, 'perMinute' | 'what'>
  readonly #clock: MonotonicClock
  readonly #onRefused: () => void
  readonly #buckets = new Map<string, Bucket>()

  /** @param kind is read at each request: its limit may change meanwhile. */
  constructor(
    kind: Pick<RateKind, 'perMinute' | 'what'>,
    clock: MonotonicClock,
    onRefused: () => void = () => undefined,
  ) {
    this.#kind = kind
    this.#clock = clock
    this.#onRefused = onRefused
  }

  take(caller: string, perMinute = this.#kind.perMinute, setFor?: string): RateState {
    const bucket = this.#filled(caller, perMinute)
    if (bucket.tokens < 1) {
      this.#onRefused()
      const waitMs = ((1 - bucket.tokens) * MINUTE_MS) / perMinute
      throw rateError({ what: this.#kind.what, setFor, state: stateOf(bucket, perMinute), waitMs })
    }
    bucket.tokens -= 1
    return stateOf(bucket, perMinute)
  }

  /** Says whether a caller's next request would pass, without taking it. */
  allows(caller: string): boolean {
    return this.#filled(caller, this.#kind.perMinute).tokens >= 1
  }

  #filled(caller: string, perMinute: number): Bucket {
    const now = this.#clock.elapsed()
    let bucket = this.#buckets.get(caller)
    if (bucket === undefined) {
      if (this.#buckets.size >= BUCKETS_MAX) this.#dropFull(now)
      bucket = { tokens: burstOf(perMinute), filledAt: now }
      this.#buckets.set(caller, bucket)
    }
    const gained = (Math.max(0, now - bucket.filledAt) * perMinute) / MINUTE_MS
    bucket.tokens = Math.min(burstOf(perMinute), bucket.tokens + gained)
    bucket.filledAt = now
    return bucket
  }

  #dropFull(now: number): void {
    for (const [caller, bucket] of this.#buckets) {
      if (now - bucket.filledAt >= FULL_MS) this.#buckets.delete(caller)
    }
    // Most of them are busy: the oldest go, so that memory stays bounded under a flood of addresses.
    for (const caller of this.#buckets.keys()) {
      if (this.#buckets.size <= BUCKETS_MAX - BUCKETS_DROPPED) break
      this.#buckets.delete(caller)
    }
  }
}

function stateOf(bucket: Bucket, perMinute: number): RateState {
  return {
    limit: perMinute,
    remaining: Math.max(0, Math.floor(bucket.tokens)),
    resetMs: Math.ceil(((burstOf(perMinute) - bucket.tokens) * MINUTE_MS) / perMinute),
  }
}
