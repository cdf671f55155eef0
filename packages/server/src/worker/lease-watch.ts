import type { MonotonicClock } from '../runtime/clock.ts'

/**
 * The part of a lease after which it counts as good as lost, where it was not renewed: a quarter is left to write down
 * what was delivered. 45 of the usual 60 s are more than twice what a fail-over takes. Source: own choice.
 */
const ENDED_AFTER = 3 / 4

export interface LeaseWatchOptions {
  readonly clock: MonotonicClock
  readonly leaseMs: number
  /** Called once when the lease is about to be lost, and again only after it was renewed in between. */
  readonly onLosing: () => void
}

/**
 * Knows how long this process may rely on its lease, by its own monotonic clock and from before a renewal was sent: no
 * other process can think it over any earlier. A process that slept finds out at its next look.
 *
 * Source: decision 0070 (streams end before their lease does).
 */
export class LeaseWatch {
  readonly #options: LeaseWatchOptions
  #renewedAt: number
  #isLosing = false

  constructor(options: LeaseWatchOptions) {
    this.#options = options
    this.#renewedAt = options.clock.elapsed()
  }

  /** Notes that the lease was renewed. @param askedAt what the monotonic clock said before the renewal was sent. */
  renewed(askedAt: number): void {
    this.#renewedAt = Math.max(this.#renewedAt, askedAt)
    this.#isLosing = false
  }

  /** Looks whether the lease is still good. */
  check(): void {
    const { clock, leaseMs, onLosing } = this.#options
    if (this.#isLosing || clock.elapsed() - this.#renewedAt < leaseMs * ENDED_AFTER) return
    this.#isLosing = true
    onLosing()
  }
}
