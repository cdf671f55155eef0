import type { MonotonicClock } from '../platform/runtime/clock.ts'

/**
 * The part of a lease after which it counts as good as lost, where it was not renewed: a quarter is left to write down
 * what was delivered. 45 of the usual 60 s are more than twice what a fail-over takes. Source: own choice.
 */
const ENDED_AFTER = 3 / 4

/**
 * The part of a lease for which this process leaves the holds of others alone after it could not renew its own: they
 * were cut off as it was, and know better what their requests cost. Source: decision 0071.
 */
const PATIENT_FOR = 1 / 2

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
  #patientUntil = -Infinity
  #isLosing = false

  constructor(options: LeaseWatchOptions) {
    this.#options = options
    this.#renewedAt = options.clock.elapsed()
  }

  /** Notes that the lease was renewed. @param askedAt what the monotonic clock said before the renewal was sent. */
  renewed(askedAt: number): void {
    const { clock, leaseMs } = this.#options
    const now = clock.elapsed()
    if (now - this.#renewedAt > leaseMs * PATIENT_FOR) this.#patientUntil = now + leaseMs * PATIENT_FOR
    this.#renewedAt = Math.max(this.#renewedAt, askedAt)
    this.#isLosing = false
  }

  /** Since when the lease has not been renewed, in milliseconds. */
  get ageMs(): number {
    return this.#options.clock.elapsed() - this.#renewedAt
  }

  /** Whether this process may begin work: no other can have taken it for gone. */
  get isKept(): boolean {
    return this.ageMs < this.#options.leaseMs * ENDED_AFTER
  }

  /** Whether leases of others that have run out say that their processes are gone. */
  get maySweep(): boolean {
    return this.#options.clock.elapsed() >= this.#patientUntil
  }

  /** Looks whether the lease is still good. */
  check(): void {
    if (this.#isLosing || this.isKept) return
    this.#isLosing = true
    this.#options.onLosing()
  }
}
