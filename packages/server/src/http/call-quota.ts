import type { Clock } from '../runtime/clock.ts'

/** So many calls within so long. */
export interface QuotaWindow {
  readonly max: number
  readonly withinMs: number
}

/** Callers in memory at most; who has not called for longest goes first. */
const CALLERS_MAX = 10_000

/**
 * Exact counts of rare and dear calls in this process: never more than `max` in any stretch of `withinMs`, unlike a
 * bucket, which fills while it is emptied.
 */
export class CallQuota {
  readonly #windows: readonly QuotaWindow[]
  readonly #clock: Clock
  /** Times of each caller's calls, oldest first; no more than the largest window counts. */
  readonly #calls = new Map<string, readonly number[]>()

  constructor(windows: readonly QuotaWindow[], clock: Clock) {
    this.#windows = windows
    this.#clock = clock
  }

  /**
   * Counts a call if every window has room for it.
   *
   * @returns null when it was counted; else the milliseconds until the next one will be. A refused call counts nowhere.
   */
  take(caller: string): number | null {
    const now = this.#clock.now()
    const longest = Math.max(...this.#windows.map(({ withinMs }) => withinMs))
    const calls = (this.#calls.get(caller) ?? []).filter((time) => time > now - longest)
    const waitMs = Math.max(...this.#windows.map((window) => waitOf(calls, window, now)))
    // Put back at the end: the map's order is the order of use.
    this.#calls.delete(caller)
    this.#calls.set(caller, waitMs > 0 ? calls : [...calls, now])
    const oldest = this.#calls.keys().next()
    if (this.#calls.size > CALLERS_MAX && oldest.done !== true) this.#calls.delete(oldest.value)
    return waitMs > 0 ? waitMs : null
  }
}

/** Until the call leaves the window that has to; 0 when there is room. */
function waitOf(calls: readonly number[], { max, withinMs }: QuotaWindow, now: number): number {
  const leaving = calls.at(-max)
  return leaving === undefined ? 0 : Math.max(0, leaving + withinMs - now)
}
