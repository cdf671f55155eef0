import { ServiceError } from '../platform/errors/service-error.ts'
import type { MonotonicClock } from '../platform/runtime/clock.ts'

export type UpstreamHealth = 'ok' | 'degraded' | 'down'

/** Follows what becomes of the calls of one kind to one upstream. */
export interface HealthWatch {
  /** Notes an answer. */
  worked(): void
  /** Notes a call that failed before it had an answer. */
  failed(error: unknown): void
  /** What the last calls say; a quiet upstream that seemed down is asked again, in the background. */
  health(): UpstreamHealth
}

/** So many failures in a row, and an upstream counts as down. Source: own choice. */
const FAILURES_UNTIL_DOWN = 3
/** A down upstream is probed this often at most, in milliseconds, and only when its health is asked for. */
const PROBE_INTERVAL_MS = 5_000

/** Failures that speak about the upstream itself and not about one request. */
function isUpstreamsFault(error: unknown): boolean {
  return error instanceof ServiceError && error.status >= 500
}

/** @param probe asks the upstream anything; its success says that it works again. */
export function createHealthWatch(clock: MonotonicClock, probe: () => Promise<unknown>): HealthWatch {
  let failures = 0
  let probedAt = Number.NEGATIVE_INFINITY
  const worked = (): void => {
    failures = 0
  }
  const failed = (error: unknown): void => {
    failures = isUpstreamsFault(error) ? failures + 1 : 0
  }
  const askAgain = (): void => {
    if (clock.elapsed() - probedAt < PROBE_INTERVAL_MS) return
    probedAt = clock.elapsed()
    probe().then(worked, failed)
  }
  return {
    worked,
    failed,
    health: () => {
      if (failures < FAILURES_UNTIL_DOWN) return failures === 0 ? 'ok' : 'degraded'
      askAgain()
      return 'down'
    },
  }
}
