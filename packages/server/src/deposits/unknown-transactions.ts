import type { MonotonicClock } from '../platform/runtime/clock.ts'

/** Hashes in memory at most; the oldest go first. */
const HASHES_MAX = 10_000

/**
 * Transactions that no node knew a moment ago. A flood of made-up hashes costs one look at the chain each, and a real
 * one that was claimed too early is found at the next claim.
 */
export class UnknownTransactions {
  readonly #clock: MonotonicClock
  readonly #keepMs: number
  readonly #seen = new Map<string, number>()

  /** @param keepMs how long a hash is not looked up again. */
  constructor(clock: MonotonicClock, keepMs: number) {
    this.#clock = clock
    this.#keepMs = keepMs
  }

  has({ chainId, txHash }: { readonly chainId: number; readonly txHash: string }): boolean {
    const key = `${chainId}:${txHash}`
    const until = this.#seen.get(key)
    if (until === undefined) return false
    if (until > this.#clock.elapsed()) return true
    this.#seen.delete(key)
    return false
  }

  note({ chainId, txHash }: { readonly chainId: number; readonly txHash: string }): void {
    const key = `${chainId}:${txHash}`
    this.#seen.delete(key)
    this.#seen.set(key, this.#clock.elapsed() + this.#keepMs)
    const oldest = this.#seen.keys().next()
    if (this.#seen.size > HASHES_MAX && oldest.done !== true) this.#seen.delete(oldest.value)
  }
}
