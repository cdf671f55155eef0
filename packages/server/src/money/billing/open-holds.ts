import { ServiceError } from '../../platform/errors/service-error.ts'
import { invalidApiKey } from '../../access/keys/invalid-api-key.ts'
import type { HoldProgress } from '../ledger/operations.ts'
import type { OpenHold } from './open-hold.ts'

/** Settlements that are tried again at a time: requests wait beside them. */
const SETTLEMENTS_AT_ONCE = 250

function awayFromDatabase(): ServiceError {
  return new ServiceError('server_is_overloaded', 'The gateway cannot reach its database.', { retryAfterSeconds: 5 })
}

/** Every hold that this process has open. */
export class OpenHolds {
  readonly #holds = new Map<string, OpenHold>()
  #mayBegin: () => boolean = () => true

  /** Lets work begin only while something holds: the lease of this process. */
  admitWhile(isKept: () => boolean): void {
    this.#mayBegin = isKept
  }

  /**
   * Asked once a hold is placed, since the database may have taken long: a process that others may have taken for gone
   * begins nothing, or a request that was repeated elsewhere meanwhile would be worked on twice.
   *
   * @throws {ServiceError} 503.
   */
  checkMayBegin(): void {
    if (!this.#mayBegin()) throw awayFromDatabase()
  }

  get size(): number {
    return this.#holds.size
  }

  /** How many requests still run: the settlements of the others wait, which no waiting of this process hastens. */
  get running(): number {
    let running = 0
    for (const hold of this.#holds.values()) if (!hold.isStuck && !hold.isPending) running++
    return running
  }

  /** How many are settled in the journal and not in the books. */
  countPending(): number {
    let pending = 0
    for (const hold of this.#holds.values()) if (hold.isPending) pending++
    return pending
  }

  has(holdId: string): boolean {
    return this.#holds.has(holdId)
  }

  add(hold: OpenHold): void {
    this.#holds.set(hold.id, hold)
  }

  remove({ id }: { readonly id: string }): void {
    this.#holds.delete(id)
  }

  /** What is open now: how many, how much in nanocredits, and how old the oldest. */
  figures(): {
    readonly holds: number
    readonly amount: bigint
    readonly oldestMs: number
    readonly unwritten: number
  } {
    let amount = 0n
    let oldestMs = 0
    let unwritten = 0
    for (const hold of this.#holds.values()) {
      amount += hold.amount
      oldestMs = Math.max(oldestMs, hold.ageMs)
      if (hold.isStuck) unwritten++
    }
    return { holds: this.#holds.size, amount, oldestMs, unwritten }
  }

  /** Ids of requests whose settlement could not be written, not even into the journal. */
  stuck(): string[] {
    return [...this.#holds.values()].filter((hold) => hold.isStuck).map((hold) => hold.id)
  }

  /** What the journal writes: one entry for each hold that has something to tell. */
  progress(): HoldProgress[] {
    return [...this.#holds.values()].map((hold) => hold.progress()).filter((entry) => entry !== null)
  }

  /** Ends the running streams of a key. Answers that are made whole run to their end: they were made for the caller. */
  revoke(keyId: string): void {
    for (const hold of this.#holds.values()) {
      if (hold.request.stream && hold.request.caller.keyId === keyId) hold.ended.abort(invalidApiKey())
    }
  }

  /** Ends every running stream: this process may soon answer for none of them. */
  endStreams(): void {
    const reason = awayFromDatabase()
    for (const hold of this.#holds.values()) if (hold.request.stream) hold.ended.abort(reason)
  }

  /** Ends all running requests: the gateway stops. */
  stop(): void {
    const reason = new ServiceError('server_is_overloaded', 'The gateway is restarting.', { retryAfterSeconds: 1 })
    for (const hold of this.#holds.values()) hold.ended.abort(reason)
  }

  /** Writes settlements that wait, oldest first. Failures stay for the next time. */
  async rewriteUnwritten(): Promise<void> {
    const waiting = [...this.#holds.values()]
      .filter((hold) => hold.isStuck || hold.isPending)
      .toSorted((one, other) => (one.unwritten?.now ?? 0) - (other.unwritten?.now ?? 0))
    for (let start = 0; start < waiting.length; start += SETTLEMENTS_AT_ONCE) {
      const group = waiting.slice(start, start + SETTLEMENTS_AT_ONCE)
      const written = await Promise.allSettled(group.map((hold) => hold.rewrite()))
      const isTaken = written.some((each) => each.status === 'rejected' || each.value)
      if (!isTaken) return
    }
  }
}
