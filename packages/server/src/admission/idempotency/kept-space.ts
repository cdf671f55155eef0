import type { Clock } from '../../platform/runtime/clock.ts'

/** How much is kept of the answers to one account in a day, in UTF-16 units. Source: decision 0035. */
export const KEPT_SPACE_MAX = 512 * 1_048_576
/** Accounts in memory at most; those that kept nothing for longest begin anew. */
const ACCOUNTS_MAX = 10_000
const DAY_MS = 86_400_000

/**
 * What this process has stored for each account today, since it started; other processes count for themselves. What is
 * kept for a day must not cost more than it pays: the vectors of a few words are a million characters, and cost next to
 * nothing.
 */
export class KeptSpace {
  readonly #clock: Clock
  readonly #max: number
  #day = 0
  readonly #taken = new Map<string, number>()

  constructor(clock: Clock, max: number = KEPT_SPACE_MAX) {
    this.#clock = clock
    this.#max = max
  }

  /** Takes room for an answer. Returns false, and takes nothing, where the account's day has none left. */
  take(accountId: string, length: number): boolean {
    const day = Math.floor(this.#clock.now() / DAY_MS)
    if (day !== this.#day) this.#taken.clear()
    this.#day = day
    const taken = (this.#taken.get(accountId) ?? 0) + length
    if (taken > this.#max) return false
    // Put back at the end: the map's order is the order of use.
    this.#taken.delete(accountId)
    this.#taken.set(accountId, taken)
    const oldest = this.#taken.keys().next()
    if (this.#taken.size > ACCOUNTS_MAX && oldest.done !== true) this.#taken.delete(oldest.value)
    return true
  }
}
