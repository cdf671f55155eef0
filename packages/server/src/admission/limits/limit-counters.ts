/** The limits of keys, accounts and people, wherever they are counted: the one place that knows which way it is. */
import type { LimitMetrics } from '../../telemetry/metrics/limit-metrics.ts'
import type { MonotonicClock } from '../../platform/runtime/clock.ts'
import { type CallLimit, CallQuota, type QuotaRefusal, type QuotaWindow } from './call-quota.ts'
import type { RateKind, RateLimit } from './rate-limit.ts'
import { RateLimiter } from './rate-limiter.ts'
import { type StreamLimit, type StreamsAtOnce, StreamSlots } from './stream-slots.ts'

/** Makes limits. Each kind is made once; its name is what metrics and the shared store call it. */
export interface LimitCounters {
  rate(kind: RateKind): RateLimit
  calls(kind: string, windows: readonly QuotaWindow[]): CallLimit
  /** @param limits how many streams a key may have open at once: read at each of them. */
  streams(limits: StreamsAtOnce): StreamLimit
  /** What is done a few times a second: gives back, forgets, and looks whether a store that was down is back. */
  tick(): Promise<void>
  /** Gives back whatever is held. Nothing is asked afterwards. */
  close(): Promise<void>
}

/** Limits that one process counts in its memory. */
export function createOwnLimits(clock: MonotonicClock, metrics: LimitMetrics | null): LimitCounters {
  return {
    rate: (kind) => new RateLimiter(kind, clock, () => metrics?.refused(kind.kind)),
    calls: (kind, windows) => countRefusals(new CallQuota(windows, clock), () => metrics?.refused(kind)),
    streams: (limits) => new StreamSlots(limits, () => metrics?.refused(STREAMS)),
    tick: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

/** What the limit on streams is called. */
export const STREAMS = 'streams'

function countRefusals(quota: CallQuota, onRefused: () => void): CallLimit {
  return {
    take: (caller): QuotaRefusal | null => {
      const refusal = quota.take(caller)
      if (refusal !== null) onRefused()
      return refusal
    },
  }
}
