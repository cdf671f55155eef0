import type { MovedSums } from './statement-store.ts'

/** Accounts, and times of each, that are kept in memory. */
const ACCOUNTS_MAX = 1_000
const TIMES_MAX = 200

/** What had moved an account's balance before a time, from the first booking on. */
export interface BookedSum {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly sums: MovedSums
  /** From when on, and until when, it is believed. Milliseconds since the epoch. */
  readonly since: number
  readonly until: number
}

const NOTHING: BookedSum = { at: 0, sums: new Map(), since: 0, until: Number.MAX_SAFE_INTEGER }

/**
 * Sums over the books of accounts up to times, so that not each transfer is added up for every statement. No row of the
 * books is ever changed, and few are booked for a time that is over: a sum is believed for a while.
 */
export class BookedSums {
  readonly #accounts = new Map<string, readonly BookedSum[]>()

  /** The latest that is believed now and not later than a time; nothing at all where none is. */
  upTo(accountId: string, at: number, now: number): BookedSum {
    const kept = this.#accounts.get(accountId) ?? []
    return kept.findLast((sum) => sum.at <= at && sum.since <= now && now < sum.until) ?? NOTHING
  }

  keep(accountId: string, sum: BookedSum): void {
    const kept = (this.#accounts.get(accountId) ?? []).filter(({ at }) => at !== sum.at)
    this.#accounts.delete(accountId)
    this.#accounts.set(accountId, [...kept, sum].toSorted((a, b) => a.at - b.at).slice(-TIMES_MAX))
    const [oldest] = this.#accounts.keys()
    if (this.#accounts.size > ACCOUNTS_MAX && oldest !== undefined) this.#accounts.delete(oldest)
  }
}

/** Both together, kind by kind. */
export function addSums(left: MovedSums, right: MovedSums): MovedSums {
  return combine(left, right, 1)
}

/** The first without the second, kind by kind. */
export function subtractSums(left: MovedSums, right: MovedSums): MovedSums {
  return combine(left, right, -1)
}

function combine(left: MovedSums, right: MovedSums, sign: 1 | -1): MovedSums {
  const result = new Map(left)
  for (const [kind, { entries, amount }] of right) {
    const before = left.get(kind) ?? { entries: 0, amount: 0n }
    result.set(kind, { entries: before.entries + sign * entries, amount: before.amount + BigInt(sign) * amount })
  }
  return result
}

/** What all kinds moved the balance by. */
export function totalOf(sums: MovedSums): bigint {
  return [...sums.values()].reduce((total, { amount }) => total + amount, 0n)
}
