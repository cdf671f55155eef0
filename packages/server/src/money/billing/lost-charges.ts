/**
 * Charges that were confirmed, and told, and that the database has lost: a fail-over to a standby that lagged does that,
 * and a primary that nobody had stopped. They are found by what this process took down, and charged late.
 *
 * Source: decision 0072 (charges that a fail-over lost).
 */
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { SettleHold } from '../ledger/operations.ts'
import type { RecentSettlements } from './recent-settlements.ts'

export interface LostChargesDeps {
  readonly recent: Pick<RecentSettlements, 'read' | 'flush' | 'removeOld'>
  readonly store: {
    /** Which of these requests have no usage record. */
    listMissing(requestIds: readonly string[]): Promise<readonly string[]>
    /** Names the server that answers now, and this life of it. */
    readIdentity(): Promise<string>
  }
  readonly ledger: Pick<Ledger, 'submit'>
  /** Told of what is missing, before anything is done about it. */
  readonly onMissing: (settlements: readonly SettleHold[]) => void
  /** The ledger refuses to charge one late. */
  readonly onRefused: (settlement: SettleHold, error: unknown) => void
}

export class LostCharges {
  readonly #deps: LostChargesDeps
  #identity: string | null = null

  constructor(deps: LostChargesDeps) {
    this.#deps = deps
  }

  /**
   * Writes down what was settled since the last time. Where another server answers than then, or the same after a
   * restart, what was settled lately is compared with what it has; so it is at the first time.
   * @throws {ServiceError} when the database does not answer: the next time compares.
   */
  async look(): Promise<void> {
    const { recent, store } = this.#deps
    await recent.flush()
    const identity = await store.readIdentity()
    if (identity === this.#identity) return
    await this.#compare()
    this.#identity = identity
    await recent.removeOld()
  }

  async #compare(): Promise<void> {
    const { recent, store, onMissing } = this.#deps
    const settlements = new Map((await recent.read()).map((each) => [each.holdId, each]))
    const ids = new Set(await store.listMissing([...settlements.keys()]))
    const missing = [...settlements.values()].filter(({ holdId }) => ids.has(holdId))
    if (missing.length === 0) return
    onMissing(missing)
    for (const settlement of missing) await this.#settle(settlement)
  }

  /** The same settlement again moves nothing where it stands, and is charged late where its hold is gone. */
  async #settle(settlement: SettleHold): Promise<void> {
    try {
      await this.#deps.ledger.submit(settlement)
    } catch (error) {
      if (error instanceof ServiceError) throw error
      this.#deps.onRefused(settlement, error)
    }
  }
}
