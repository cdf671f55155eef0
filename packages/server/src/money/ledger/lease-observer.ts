import type { MonotonicClock } from '../../platform/runtime/clock.ts'

/** The end of a lease whose process has stopped in order. */
export const LEASE_ENDED = 0

/**
 * Knows which leases of other processes are no longer renewed. The time in a lease comes from another clock, which may
 * be an hour off: a lease counts as lost once this process has seen it unchanged for as long as one lasts, by its own
 * monotonic clock. Source: decision 0070 (streams end before their lease does).
 */
export class LeaseObserver {
  readonly #clock: MonotonicClock
  readonly #leaseMs: number
  #seen = new Map<string, { readonly leaseUntil: number | null; readonly since: number }>()
  #gone: ReadonlySet<string> = new Set()

  constructor({ clock, leaseMs }: { readonly clock: MonotonicClock; readonly leaseMs: number }) {
    this.#clock = clock
    this.#leaseMs = leaseMs
  }

  /**
   * Notes the present leases, and forgets all others.
   * @param leases by process; null for a process without one.
   * @returns the processes that are gone.
   */
  look(leases: ReadonlyMap<string, number | null>): ReadonlySet<string> {
    const now = this.#clock.elapsed()
    const seen = new Map<string, { readonly leaseUntil: number | null; readonly since: number }>()
    const gone = new Set<string>()
    for (const [processId, leaseUntil] of leases) {
      const before = this.#seen.get(processId)
      const since = before !== undefined && before.leaseUntil === leaseUntil ? before.since : now
      seen.set(processId, { leaseUntil, since })
      if (leaseUntil === LEASE_ENDED || now - since >= this.#leaseMs) gone.add(processId)
    }
    this.#seen = seen
    this.#gone = gone
    return gone
  }

  /** The processes that were gone at the last look. */
  get gone(): ReadonlySet<string> {
    return this.#gone
  }

  /**
   * Whether a process is gone, as far as the looks so far tell.
   * @param leaseUntil what its lease says now; null where it has none.
   */
  isGone(processId: string, leaseUntil: number | null): boolean {
    if (leaseUntil === null || leaseUntil === LEASE_ENDED) return true
    const before = this.#seen.get(processId)
    return before?.leaseUntil === leaseUntil && this.#clock.elapsed() - before.since >= this.#leaseMs
  }
}
