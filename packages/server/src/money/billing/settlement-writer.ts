/**
 * The way of one hold's settlement to where it is durable: into the database or, while that does not answer, into the
 * journal of settlements, from where it is written later. Source: decision 0071 (settlements outlive an outage).
 */
import { nanocreditsOf, type Nanocredits } from '@svc/contract'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { SettleHold, SettleResult } from '../ledger/operations.ts'
import { type Charged, chargedAs, dueOf } from './settlement.ts'
import type { SettlementJournal } from './settlement-journal.ts'
import { type SettledHold, type SettlementListeners, notifySettled } from './settlement-listener.ts'

export interface SettlementWriterDeps extends SettlementListeners {
  readonly ledger: Pick<Ledger, 'submit'>
  /** Lists the hold until its settlement is in the books. */
  readonly openHolds: { remove(hold: { readonly id: string }): void }
  /** Where settlements are written while the database does not take them; absent if they wait in memory alone. */
  readonly journal?: Pick<SettlementJournal, 'checkRoom' | 'write' | 'remove'> | undefined
  /** Called with a charge that differs in the books from the one that its caller read. It must not throw. */
  readonly onDiffering?: ((told: SettleHold, charge: Nanocredits) => void) | undefined
  /** Called once with each settlement that could not be written when it was due. It must not throw. */
  readonly onUnwritten?: ((hold: { readonly id: string }, error: unknown) => void) | undefined
}

/**
 * After so many milliseconds without an answer of the database a settlement goes into the journal: a caller that waits
 * for a whole answer has waited for the upstream already. Source: own choice.
 */
const SETTLE_WAIT_MS = 5_000

/** Writes the settlement of one hold. */
export class SettlementWriter {
  readonly #deps: SettlementWriterDeps
  readonly #hold: SettledHold & { readonly request: { readonly stream: boolean } }
  #unwritten: SettleHold | null = null
  #isStuck = false
  #isWriting = false
  #charged: Charged | null = null

  constructor(deps: SettlementWriterDeps, hold: SettledHold & { readonly request: { readonly stream: boolean } }) {
    this.#deps = deps
    this.#hold = hold
  }

  /** What the ledger has not answered yet; null where nothing waits. */
  get unwritten(): SettleHold | null {
    return this.#unwritten
  }

  /** Whether it could not be written when it was due, not even into the journal, and is tried again. */
  get isStuck(): boolean {
    return this.#isStuck
  }

  /** What was charged, once that is durable in books or journal; null before. */
  get charged(): Charged | null {
    return this.#charged
  }

  /**
   * Writes a settlement; one that could not be written gives way to it.
   *
   * @throws {ServiceError} when it is not durable yet: neither database nor disk took it. It is kept and tried again.
   */
  async write(operation: SettleHold): Promise<Charged> {
    this.#unwritten = operation
    const { journal } = this.#deps
    const submitted = this.#submit(operation)
    if (journal === undefined) return submitted.catch((error: unknown) => this.#wait(error))
    try {
      const charged = await withinTime(submitted, SETTLE_WAIT_MS)
      if (charged !== null) return charged
    } catch (error) {
      // What the ledger refuses it would refuse again: that is a mistake, and no outage.
      if (!(error instanceof ServiceError)) return this.#wait(error)
    }
    try {
      await journal.write(operation)
    } catch {
      return submitted.catch((error: unknown) => this.#wait(error))
    }
    // The database may have answered meanwhile.
    if (this.#unwritten === null) journal.remove(this.#hold.id)
    return (this.#charged ??= { charge: dueOf(operation), isPending: true })
  }

  /**
   * Tries again to write a settlement that waits. @returns false when the database does not take it now.
   * @throws what else it failed with: the ledger refuses it.
   */
  async rewrite(): Promise<boolean> {
    const operation = this.#unwritten
    if (operation === null) return true
    if (this.#isWriting) return false
    const isTold = this.#charged !== null
    try {
      const { charge } = await this.#submit(operation)
      // It is a release, and the settlement before it had been committed: its caller was told of a failure.
      if (!isTold && operation.charge === 0n && charge > 0n) this.#deps.onDiffering?.(operation, charge)
      return true
    } catch (error) {
      if (error instanceof ServiceError) return false
      return this.#wait(error)
    }
  }

  async #submit(operation: SettleHold): Promise<Charged> {
    this.#isWriting = true
    try {
      // The caller of a stream has read the answer by then: what waits for the commit is its last frame alone.
      const result = await this.#deps.ledger.submit(operation, this.#hold.request.stream ? 'soon' : 'now')
      return this.#end(operation, result)
    } finally {
      this.#isWriting = false
    }
  }

  /** The ledger has answered. */
  #end(operation: SettleHold, result: SettleResult): Charged {
    const { openHolds, journal, onDiffering } = this.#deps
    const told = this.#charged
    const charged = chargedAs(nanocreditsOf(result.charge))
    this.#unwritten = null
    this.#isStuck = false
    this.#charged = charged
    openHolds.remove(this.#hold)
    journal?.remove(this.#hold.id)
    notifySettled(this.#deps, this.#hold, operation, result)
    if (told !== null && told.charge !== charged.charge) onDiffering?.(operation, charged.charge)
    return charged
  }

  /** The settlement waits in memory. @throws what it failed with. */
  #wait(error: unknown): never {
    const isNews = !this.#isStuck
    this.#isStuck = true
    if (isNews) this.#deps.onUnwritten?.(this.#hold, error)
    throw error
  }
}

/** What a promise resolves to; null when that takes longer. */
function withinTime<Value>(promise: Promise<Value>, limitMs: number): Promise<Value | null> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, limitMs, null)
    promise.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error as Error)
      },
    )
  })
}
