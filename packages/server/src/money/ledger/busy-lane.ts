/**
 * Operations that need a row which another session has locked. They wait here, beside all others, so that one account
 * that cannot be written to holds up itself alone. Source: decision 0078 (a locked account waits alone).
 */
import { setTimeout as waitMs } from 'node:timers/promises'
import { isRefusal } from '../../platform/db/database-failure.ts'
import { InvariantError } from '../../platform/errors/invariant-error.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { EngineResult, LedgerEngine } from './ledger-engine.ts'
import type { LedgerOperation, LedgerResult } from './operations.ts'

/** An operation, and the caller that waits for its result. */
export interface Waiting {
  readonly operation: LedgerOperation
  readonly resolve: (result: LedgerResult) => void
  readonly reject: (error: Error) => void
}

/** One that waits here, and since when by `performance.now()`. */
interface Busy extends Waiting {
  readonly since: number
}

/** Between two attempts. Source: own choice. */
const PAUSE_MS = 250
/** An operation waits here so long at most; then its caller gets a 503. As long as the ledger tries a batch. */
const WAIT_MAX_MS = 7_000
/** What was busy is taken for busy so long: an attempt among others would make all of them wait. */
const BUSY_MS = 2_000
/** Operations in one attempt at most. */
const ATTEMPT_MAX = 256

export class BusyLane {
  readonly #engine: LedgerEngine
  #waiting: Busy[] = []
  /** Accounts and holds, and until when they are taken for busy. */
  readonly #busy = new Map<string, number>()
  #running: Promise<void> | null = null

  constructor(engine: LedgerEngine) {
    this.#engine = engine
  }

  /** How many operations wait here. */
  get size(): number {
    return this.#waiting.length
  }

  /** How long the oldest of them has waited, in milliseconds; 0 for none. */
  get oldestMs(): number {
    const since = Math.min(...this.#waiting.map((busy) => busy.since))
    return this.#waiting.length === 0 ? 0 : performance.now() - since
  }

  /** Whether an operation is of an account or a hold that was busy a moment ago. */
  isFor(operation: LedgerOperation): boolean {
    if (this.#busy.size === 0) return false
    const now = performance.now()
    return namesOf(operation).some((name) => (this.#busy.get(name) ?? 0) > now)
  }

  /** Takes operations that are busy, or will be. Each is answered in any case. */
  add(busy: readonly Waiting[]): void {
    if (busy.length === 0) return
    const since = performance.now()
    for (const { operation, resolve, reject } of busy) {
      this.#note(operation)
      this.#waiting.push({ operation, resolve, reject, since })
    }
    this.#running ??= this.#run()
  }

  /** Resolves once nothing waits any more. */
  async drain(): Promise<void> {
    while (this.#running !== null) await this.#running
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      await waitMs(PAUSE_MS)
      const batch = this.#waiting.slice(0, ATTEMPT_MAX)
      const left = await this.#attempt(batch)
      this.#waiting = [...left, ...this.#waiting.slice(batch.length)]
    }
    this.#running = null
    this.#busy.clear()
  }

  /** @returns those that have to wait on. */
  async #attempt(batch: readonly Busy[]): Promise<readonly Busy[]> {
    try {
      const results = await this.#engine.apply(batch.map(({ operation }) => operation))
      return batch.filter((busy, index) => this.#isLeft(busy, results[index]))
    } catch (error) {
      if (!isRefusal(error)) return batch.filter((busy) => this.#isLeft(busy, { kind: 'busy' }, error))
      if (batch.length === 1) {
        batch[0]?.reject(new InvariantError('the database refused a money operation', { cause: error }))
        return []
      }
      // What the database refuses is a mistake of one of them.
      const left: Busy[] = []
      for (const busy of batch) left.push(...(await this.#attempt([busy])))
      return left
    }
  }

  /** Answers an operation, unless it is busy and may wait on. */
  #isLeft(busy: Busy, result: EngineResult | undefined, cause?: unknown): boolean {
    if (result === undefined) busy.reject(new InvariantError('the engine left an operation unanswered'))
    else if (result.kind !== 'busy') {
      for (const name of namesOf(busy.operation)) this.#busy.delete(name)
      busy.resolve(result)
    } else if (performance.now() - busy.since > WAIT_MAX_MS) busy.reject(locked(cause))
    else {
      this.#note(busy.operation)
      return true
    }
    return false
  }

  #note(operation: LedgerOperation): void {
    for (const name of namesOf(operation)) this.#busy.set(name, performance.now() + BUSY_MS)
  }
}

/** What decides where an operation has to wait: its account and its hold. */
function namesOf(operation: LedgerOperation): readonly string[] {
  switch (operation.kind) {
    case 'place':
      return [operation.holdId, operation.accountId]
    case 'settle':
      return operation.placed === null ? [operation.holdId] : [operation.holdId, operation.placed.accountId]
    case 'extend':
      return [operation.holdId]
    case 'credit':
      return [operation.accountId]
    case 'deposit':
      return [`${operation.chainId} ${operation.txHash} ${operation.ordinal}`]
    case 'journal':
      return []
  }
}

function locked(cause?: unknown): ServiceError {
  const message = 'Another session has locked the account in the database. Ask again in a moment.'
  return new ServiceError('server_is_overloaded', message, { cause, retryAfterSeconds: 1 })
}
