/**
 * The calls that one upstream takes at a time, where its operator has said how many: the others wait in the order in
 * which they came, if it is not expected to take longer than requests may wait. Source: decision 0154.
 */
import type { MonotonicClock } from '../platform/runtime/clock.ts'
import { type UpstreamFailure, upstreamFailure } from './upstream-failure.ts'

/** Weight of the last call in the average of how long one takes. Source: own choice. */
const WEIGHT = 1 / 8
/**
 * One that was let in waits for so many times as long as was expected of it at most: the expectation is an average, and
 * a refusal that comes after a wait is worse than a longer wait. Source: own choice.
 */
const PATIENCE = 3
/** The longest that clients are asked to wait, in seconds: they give up on more. Source: own choice. */
const RETRY_AFTER_MAX_SECONDS = 30

export interface CallSlotsOptions {
  readonly upstream: string
  /** Calls at a time. */
  readonly most: number
  /** The longest that a call may be expected to wait for its turn, in milliseconds: read at each call. */
  readonly limits: { readonly waitingMs: number }
  readonly clock: MonotonicClock
}

/** Ends a turn; once is enough. */
export type EndTurn = () => void

interface Waiting {
  begin(): void
}

/** The upstream has all the calls that it takes, and too many wait for it already. Nothing was sent. */
export function slotsFull(upstream: string, waitMs: number): UpstreamFailure {
  const retryAfterSeconds = Math.min(Math.max(1, Math.ceil(waitMs / 1_000)), RETRY_AFTER_MAX_SECONDS)
  return upstreamFailure('busy', { upstream, isUnbilled: true, retryAfterSeconds })
}

export class CallSlots {
  readonly #options: CallSlotsOptions
  readonly #queue = new Set<Waiting>()
  #running = 0
  /** The sum of the times at which the calls that run were begun. */
  #begunAt = 0
  /** How long a call takes on the average, in milliseconds; null before one has ended. */
  #averageMs: number | null = null

  constructor(options: CallSlotsOptions) {
    this.#options = options
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return this.#queue.size
  }

  /**
   * How long a call that comes now is likely to wait for its turn, in milliseconds: by how long calls take, and at least
   * by how long those that run have taken.
   */
  get expectedMs(): number {
    const { most, clock } = this.#options
    if (this.#running < most) return 0
    const ageMs = clock.elapsed() - this.#begunAt / this.#running
    return ((this.#queue.size + 1) * Math.max(this.#averageMs ?? 0, ageMs)) / most
  }

  /** Whether a call that comes now would probably wait for longer than it may. */
  get isFull(): boolean {
    return this.expectedMs > this.#options.limits.waitingMs
  }

  /**
   * Waits for a turn.
   *
   * @returns what ends it.
   * @throws {UpstreamFailure} `busy` after the longest wait; the signal's reason where the request has ended.
   */
  async take(signal: AbortSignal): Promise<EndTurn> {
    signal.throwIfAborted()
    if (this.#running < this.#options.most) return this.#begin()
    const { promise, resolve, reject } = Promise.withResolvers<EndTurn>()
    const { upstream, limits } = this.#options
    const leave = (): void => {
      this.#queue.delete(waiting)
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
    const onAbort = (): void => {
      leave()
      reject(signal.reason as Error)
    }
    const waiting: Waiting = {
      begin: () => {
        leave()
        resolve(this.#begin())
      },
    }
    const timer = setTimeout(() => {
      leave()
      reject(slotsFull(upstream, this.expectedMs))
    }, PATIENCE * limits.waitingMs)
    signal.addEventListener('abort', onAbort)
    this.#queue.add(waiting)
    return promise
  }

  #begin(): EndTurn {
    const at = this.#options.clock.elapsed()
    this.#running++
    this.#begunAt += at
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#running--
      this.#begunAt -= at
      const tookMs = this.#options.clock.elapsed() - at
      this.#averageMs = this.#averageMs === null ? tookMs : this.#averageMs + (tookMs - this.#averageMs) * WEIGHT
      for (const next of this.#queue) {
        next.begin()
        break
      }
    }
  }
}
