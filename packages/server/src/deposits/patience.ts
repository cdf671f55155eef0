import type { MonotonicClock } from '../platform/runtime/clock.ts'

/** The first pause after a failure, and the longest, in milliseconds. Source: decision 0092. */
const PAUSE_MS = 2_000
const PAUSE_MS_MAX = 600_000
/** Things that are remembered; the oldest go first. */
const KNOWN_MAX = 50_000

/** Leaves alone what has failed by itself, longer each time, so that it does not take the time of what is sound. */
export class Patience {
  readonly #clock: MonotonicClock
  readonly #lost = new Map<string, { readonly failures: number; readonly until: number }>()

  constructor(clock: MonotonicClock) {
    this.#clock = clock
  }

  /** Whether it may be looked at now. */
  allows(name: string): boolean {
    const until = this.#lost.get(name)?.until
    return until === undefined || until <= this.#clock.elapsed()
  }

  /** It has failed. */
  lose(name: string): void {
    const failures = (this.#lost.get(name)?.failures ?? 0) + 1
    const pauseMs = Math.min(PAUSE_MS_MAX, PAUSE_MS * 2 ** Math.min(failures - 1, 20))
    this.#lost.delete(name)
    this.#lost.set(name, { failures, until: this.#clock.elapsed() + pauseMs })
    const oldest = this.#lost.keys().next()
    if (this.#lost.size > KNOWN_MAX && oldest.done !== true) this.#lost.delete(oldest.value)
  }

  /** It has gone well. */
  restore(name: string): void {
    this.#lost.delete(name)
  }
}
