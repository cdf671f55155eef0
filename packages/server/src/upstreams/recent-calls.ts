import type { Clock } from '../platform/runtime/clock.ts'
import { UpstreamFailure } from './upstream-failure.ts'

/** A call that failed: what kind of failure it was, never what the upstream said, which may quote a request. */
export interface RecentFailure {
  readonly at: number
  readonly model: string
  readonly kind: string
  /** The upstream's own status; null where it gave no answer. */
  readonly status: number | null
}

/** How the last calls for one model fared. */
export interface RecentModel {
  readonly model: string
  readonly calls: number
  readonly failures: number
  /** When the last call ended. */
  readonly lastAt: number
  /** Milliseconds until an answer came or a stream began, of the last calls; null where none did. */
  readonly medianMs: number | null
  readonly slowestMs: number | null
}

interface Remembered {
  calls: number
  failures: number
  lastAt: number
  /** Written round and round. */
  readonly times: number[]
  next: number
}

/** Models, answer times of each, and failures that are remembered. Source: own choice. */
const MODELS_MAX = 500
const TIMES_MAX = 64
const FAILURES_MAX = 30

/**
 * Remembers how the last calls to one upstream fared since this process started, for its operator to look at. A call
 * costs a few additions; what is shown is computed when it is looked at.
 */
export class RecentCalls {
  readonly #clock: Clock
  readonly #models = new Map<string, Remembered>()
  readonly #failures: RecentFailure[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Notes how a call ended. @param error null for an answer. */
  ended(model: string, error: unknown): void {
    const now = this.#clock.now()
    const remembered = this.#of(model)
    remembered.calls++
    remembered.lastAt = now
    if (!(error instanceof UpstreamFailure)) return
    remembered.failures++
    const status = error.internal['upstreamStatus']
    this.#failures.push({ at: now, model, kind: error.kind, status: typeof status === 'number' ? status : null })
    if (this.#failures.length > FAILURES_MAX) this.#failures.shift()
  }

  /** Notes how long it took until an answer came or a stream began, in milliseconds. */
  answered(model: string, ms: number): void {
    const remembered = this.#of(model)
    remembered.times[remembered.next] = ms
    remembered.next = (remembered.next + 1) % TIMES_MAX
  }

  /** Most used first. */
  models(): readonly RecentModel[] {
    return [...this.#models]
      .map(([model, { calls, failures, lastAt, times }]) => {
        const sorted = times.toSorted((left, right) => left - right)
        const medianMs = sorted[Math.floor((sorted.length - 1) / 2)] ?? null
        return { model, calls, failures, lastAt, medianMs, slowestMs: sorted.at(-1) ?? null }
      })
      .toSorted((left, right) => right.calls - left.calls)
  }

  /** Newest first. */
  failures(): readonly RecentFailure[] {
    return this.#failures.toReversed()
  }

  #of(model: string): Remembered {
    const known = this.#models.get(model)
    if (known !== undefined) return known
    for (const oldest of this.#models.keys()) {
      if (this.#models.size < MODELS_MAX) break
      this.#models.delete(oldest)
    }
    const remembered: Remembered = { calls: 0, failures: 0, lastAt: 0, times: [], next: 0 }
    this.#models.set(model, remembered)
    return remembered
  }
}
