import type { ServiceError } from '../../platform/errors/service-error.ts'
import type { MonotonicClock } from '../../platform/runtime/clock.ts'
import { tooMany } from './too-many.ts'

/** So many calls within so long. */
export interface QuotaWindow {
  /** Read at each call: what holds may change while the process runs. */
  readonly max: number
  readonly withinMs: number
}

/** The window that opens last, and the milliseconds until it does. */
export interface QuotaRefusal extends QuotaWindow {
  readonly waitMs: number
}

/** A limit on rare and dear calls, wherever it is counted. */
export interface CallLimit {
  /**
   * Counts a call if every window has room for it.
   *
   * @returns null when it was counted; else what refused it. A refused call counts nowhere.
   */
  take(caller: string): QuotaRefusal | null | Promise<QuotaRefusal | null>
}

/** Callers in memory at most; who has not called for longest goes first. */
const CALLERS_MAX = 10_000

/** What becomes of a call. */
export interface CallDecision {
  /** Null when it is counted. */
  readonly refusal: QuotaRefusal | null
  /** The calls to keep, oldest first, this one among them where it is counted. */
  readonly calls: readonly number[]
}

/**
 * Decides about a call by the times of those before, oldest first.
 *
 * @param share the part of each window that counts here is one of so many; at least one call passes.
 */
export function decideCall(
  before: readonly number[],
  windows: readonly QuotaWindow[],
  now: number,
  share = 1,
): CallDecision {
  const calls = recentOf(before, windows, now)
  const refusal = windows
    .map((window) => ({ ...window, waitMs: waitOf(calls, window, { now, share }) }))
    .reduce((left, right) => (right.waitMs > left.waitMs ? right : left))
  return refusal.waitMs > 0 ? { refusal, calls } : { refusal: null, calls: [...calls, now] }
}

/** The calls that a window still counts. */
function recentOf(calls: readonly number[], windows: readonly QuotaWindow[], now: number): readonly number[] {
  const longest = Math.max(...windows.map(({ withinMs }) => withinMs))
  return calls.filter((time) => time > now - longest)
}

/**
 * Exact counts of rare and dear calls in this process: never more than `max` in any stretch of `withinMs`, unlike a
 * bucket, which fills while it is emptied.
 */
export class CallQuota implements CallLimit {
  readonly #windows: readonly QuotaWindow[]
  readonly #clock: MonotonicClock
  /** Times of each caller's calls, oldest first; no more than the largest window counts. */
  readonly #calls = new Map<string, readonly number[]>()

  constructor(windows: readonly QuotaWindow[], clock: MonotonicClock) {
    this.#windows = windows
    this.#clock = clock
  }

  /**
   * Counts a call if every window has room for it.
   *
   * @param share of how many processes this one applies its part; 1 applies the whole.
   * @returns null when it was counted; else what refused it. A refused call counts nowhere.
   */
  take(caller: string, share = 1): QuotaRefusal | null {
    const { refusal, calls } = decideCall(this.#calls.get(caller) ?? [], this.#windows, this.#clock.elapsed(), share)
    this.#keep(caller, calls)
    return refusal
  }

  /** What would refuse a call now; null where nothing would. Counts nothing. */
  findRefusal(caller: string): QuotaRefusal | null {
    return decideCall(this.#calls.get(caller) ?? [], this.#windows, this.#clock.elapsed()).refusal
  }

  /** Counts a call that passed elsewhere. */
  note(caller: string): void {
    const now = this.#clock.elapsed()
    this.#keep(caller, [...recentOf(this.#calls.get(caller) ?? [], this.#windows, now), now])
  }

  #keep(caller: string, calls: readonly number[]): void {
    // Put back at the end: the map's order is the order of use.
    this.#calls.delete(caller)
    this.#calls.set(caller, calls)
    const oldest = this.#calls.keys().next()
    if (this.#calls.size > CALLERS_MAX && oldest.done !== true) this.#calls.delete(oldest.value)
  }
}

/** Until the call leaves the window that has to; 0 when there is room. */
function waitOf(
  calls: readonly number[],
  { max, withinMs }: QuotaWindow,
  { now, share }: { readonly now: number; readonly share: number },
): number {
  const leaving = calls.at(-Math.max(1, Math.floor(max / share)))
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
