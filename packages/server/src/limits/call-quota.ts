import type { ServiceError } from '../errors/service-error.ts'
import type { Clock } from '../runtime/clock.ts'
import { tooMany } from './too-many.ts'

/** So many calls within so long. */
export interface QuotaWindow {
  readonly max: number
  readonly withinMs: number
}

/** The window that opens last, and the milliseconds until it does. */
export interface QuotaRefusal extends QuotaWindow {
  readonly waitMs: number
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
   * @returns null when it was counted; else what refused it. A refused call counts nowhere.
   */
  take(caller: string): QuotaRefusal | null {
    const now = this.#clock.now()
    const longest = Math.max(...this.#windows.map(({ withinMs }) => withinMs))
    const calls = (this.#calls.get(caller) ?? []).filter((time) => time > now - longest)
    const refusal = this.#windows
      .map((window) => ({ ...window, waitMs: waitOf(calls, window, now) }))
      .reduce((left, right) => (right.waitMs > left.waitMs ? right : left))
    const isRefused = refusal.waitMs > 0
    // Put back at the end: the map's order is the order of use.
    this.#calls.delete(caller)
    this.#calls.set(caller, isRefused ? calls : [...calls, now])
    const oldest = this.#calls.keys().next()
    if (this.#calls.size > CALLERS_MAX && oldest.done !== true) this.#calls.delete(oldest.value)
    return isRefused ? refusal : null
  }
}

/** Until the call leaves the window that has to; 0 when there is room. */
function waitOf(calls: readonly number[], { max, withinMs }: QuotaWindow, now: number): number {
  const leaving = calls.at(-max)
  return leaving === undefined ? 0 : Math.max(0, leaving + withinMs - now)
}

const spanNames: ReadonlyMap<number, string> = new Map([
  [60_000, 'a minute'],
  [86_400_000, 'a day'],
])

/** The refusal as an error. @param what is counted and for whom, such as `claims with this key`. */
export function quotaError(
  { max, withinMs, waitMs }: QuotaRefusal,
  what: string,
  code?: 'rate_limit_exceeded' | 'claim_rate_limited',
): ServiceError {
  const span = spanNames.get(withinMs) ?? `in ${withinMs / 1_000} s`
  return tooMany({ what, most: `${max} ${span}`, waitSeconds: Math.ceil(waitMs / 1_000) }, code)
}
