import { ServiceError } from '../errors/service-error.ts'
import type { Clock } from '../runtime/clock.ts'
import type { ChatUpstream } from './chat-upstream.ts'

export type UpstreamHealth = 'ok' | 'degraded' | 'down'

export interface WatchedUpstream extends ChatUpstream {
  /** What the last calls say; a quiet upstream that seemed down is asked again, in the background. */
  health(): UpstreamHealth
}

/** So many failures in a row, and an upstream counts as down. Source: own choice. */
const FAILURES_UNTIL_DOWN = 3
/** A down upstream is probed this often at most, in milliseconds, and only when somebody asks for its health. */
const PROBE_INTERVAL_MS = 5_000

/** Failures that speak about the upstream itself and not about one request. */
function isUpstreamsFault(error: unknown): boolean {
  return error instanceof ServiceError && error.status >= 500
}

/** Watches what becomes of the calls to an upstream. */
export function watchHealth(upstream: ChatUpstream, clock: Clock): WatchedUpstream {
  let failures = 0
  let probedAt = Number.NEGATIVE_INFINITY
  async function watched<Result>(work: Promise<Result>): Promise<Result> {
    try {
      const result = await work
      failures = 0
      return result
    } catch (error) {
      failures = isUpstreamsFault(error) ? failures + 1 : 0
      throw error
    }
  }
  const probe = (): void => {
    if (clock.now() - probedAt < PROBE_INTERVAL_MS) return
    probedAt = clock.now()
    // The outcome is counted by the watch itself; there is nobody else to tell.
    watched(upstream.listModels()).catch(() => undefined)
  }
  return {
    ...upstream,
    complete: (request) => watched(upstream.complete(request)),
    stream: (request, sink) => watched(upstream.stream(request, sink)),
    listModels: () => watched(upstream.listModels()),
    health: () => {
      if (failures < FAILURES_UNTIL_DOWN) return failures === 0 ? 'ok' : 'degraded'
      probe()
      return 'down'
    },
  }
}
