/**
 * Room `overload`: new paid requests are refused while they would wait too long in this process, before anything is read
 * or held. What has begun goes on. Source: decision 0154.
 */
import { ServiceError } from '../../platform/errors/service-error.ts'

/** What a request waits for in this process. */
export type WaitsFor = 'event_loop' | 'ledger'

/** Turns of the event loop that a request takes from its first byte to its upstream. Source: own measurement. */
const TURNS = 4
/** The longest that clients are asked to wait, in seconds: they give up on more. Source: own choice. */
const RETRY_AFTER_MAX_SECONDS = 30

export interface WaitingBoundOptions {
  /** The longest that a new request may be expected to wait, in milliseconds. */
  readonly mostMs: number
  /** How late the event loop is, in milliseconds. */
  readonly loopMs: () => number
  /** How long a money operation waits until it is durable, in milliseconds. */
  readonly ledgerMs: () => number
  /** Called with each refusal. It must not throw. */
  readonly onRefused?: ((waitsFor: WaitsFor) => void) | undefined
}

/** Decides whether one more paid request is taken. */
export class WaitingBound {
  readonly #options: WaitingBoundOptions

  constructor(options: WaitingBoundOptions) {
    this.#options = options
  }

  /** How long a new request is likely to wait, by what it waits for, in milliseconds. */
  expectedMs(): Readonly<Record<WaitsFor, number>> {
    const { loopMs, ledgerMs } = this.#options
    return { event_loop: loopMs() * TURNS, ledger: ledgerMs() }
  }

  /** Why it is not taken now: `server_is_overloaded`; null where it is. */
  problem(): ServiceError | null {
    const { event_loop: loop, ledger } = this.expectedMs()
    const waitMs = loop + ledger
    if (waitMs <= this.#options.mostMs) return null
    this.#options.onRefused?.(loop > ledger ? 'event_loop' : 'ledger')
    const message =
      'The gateway has more requests than it can take at the moment. Nothing was begun and you were not charged; try ' +
      'again shortly.'
    const retryAfterSeconds = Math.min(Math.max(1, Math.ceil(waitMs / 1_000)), RETRY_AFTER_MAX_SECONDS)
    return new ServiceError('server_is_overloaded', message, { retryAfterSeconds })
  }
}
