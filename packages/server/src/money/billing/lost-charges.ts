/**
 * Charges that were confirmed and reported, and that the database has lost: a fail-over to a standby that lagged does
 * that, and a primary that was not stopped. They are found by what this process took down, and charged late.
 *
 * Source: decision 0072 (charges that a fail-over lost).
 */
import { nanocreditsOf, type Nanocredits } from '@svc/contract'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { BookedCharge } from '../ledger/booked-charge.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { SettleHold } from '../ledger/operations.ts'
import { splitCharge } from '../ledger/settlement.ts'
import type { RecentSettlements } from './recent-settlements.ts'
import { dueOf } from './settlement.ts'

export interface LostChargesDeps {
  readonly recent: Pick<RecentSettlements, 'read' | 'flush' | 'removeOld'>
  readonly store: {
    /** What is booked of requests; those are missing that have no record, or whose hold merely expired. */
    findBooked(requestIds: readonly string[]): Promise<ReadonlyMap<string, BookedCharge>>
    /** Names the server that answers now, and this life of it. */
    readIdentity(): Promise<string>
  }
  readonly ledger: Pick<Ledger, 'submit'>
  /** Called with what is missing, before anything is done about it. */
  readonly onMissing: (settlements: readonly SettleHold[]) => void
  /** Called with each that is charged late or can never be, by the one process that came first. */
  readonly onLost: (settlement: SettleHold) => void
  /** Called with a charge that differs in the books from the one that was shown. */
  readonly onDiffering: (settlement: SettleHold, charge: Nanocredits) => void
  /** The ledger refuses to charge one late. */
  readonly onRefused: (settlement: SettleHold, error: unknown) => void
}

/**
 * How often is compared once another server answers: what was still under way at the one before is confirmed by it a
 * moment later, and lost, too.
 */
const COMPARISONS = 3
/**
 * So many are asked for at a time, and so many at one look: requests wait beside them, and the lease of this process is
 * renewed between two looks. Source: own choice.
 */
const SETTLEMENTS_AT_ONCE = 25
const SETTLEMENTS_MAX = 500

/**
 * Whether a sweep has booked what a caller was told. It may know another cost than was settled, so what is written off
 * for that says nothing; where the account could not pay all, what is written off shows that as much was asked for.
 */
function agrees({ charge, writeOff }: BookedCharge, told: SettleHold): boolean {
  const due = dueOf(told)
  if (charge >= due) return charge === due
  const whole = splitCharge(told, due)
  return charge + writeOff === told.charge || charge + writeOff === whole.charge + whole.writeOff
}

export class LostCharges {
  readonly #deps: LostChargesDeps
  #identity: string | null = null
  #comparisons = 0
  /** Of the last comparison, by hold: those that are not asked for yet. */
  readonly #missing = new Map<string, SettleHold>()
  /** Of which it was reported that another process had settled them otherwise. */
  readonly #differing = new Set<string>()

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
    if (identity !== this.#identity) this.#comparisons = COMPARISONS
    this.#identity = identity
    if (this.#missing.size === 0 && this.#comparisons > 0) {
      await this.#compare()
      this.#comparisons -= 1
      await recent.removeOld()
    }
    await this.#settleMissing()
  }

  async #compare(): Promise<void> {
    const { recent, store, onMissing } = this.#deps
    const settlements = new Map((await recent.read()).map((each) => [each.holdId, each]))
    const booked = await store.findBooked([...settlements.keys()])
    for (const [id, charge] of booked) {
      const told = settlements.get(id)
      if (told === undefined || !charge.isSwept || this.#differing.has(id) || agrees(charge, told)) continue
      this.#differing.add(id)
      this.#deps.onDiffering(told, nanocreditsOf(charge.charge))
    }
    const missing = [...settlements.values()].filter(({ holdId }) => !booked.has(holdId))
    if (missing.length > 0) onMissing(missing)
    for (const settlement of missing) this.#missing.set(settlement.holdId, settlement)
  }

  async #settleMissing(): Promise<void> {
    const settlements = [...this.#missing.values()].slice(0, SETTLEMENTS_MAX)
    for (let start = 0; start < settlements.length; start += SETTLEMENTS_AT_ONCE) {
      const group = settlements.slice(start, start + SETTLEMENTS_AT_ONCE)
      await Promise.all(group.map((settlement) => this.#settle(settlement)))
    }
  }

  /**
   * Submits the settlement again. It moves nothing if the books have it, ends a hold that is open or merely expired,
   * and is charged late if its hold is gone.
   */
  async #settle(settlement: SettleHold): Promise<void> {
    const { ledger, onLost, onDiffering, onRefused } = this.#deps
    try {
      const { kind, charge } = await ledger.submit(settlement)
      this.#missing.delete(settlement.holdId)
      if (kind === 'already_settled') return
      onLost(settlement)
      if (charge !== dueOf(settlement)) onDiffering(settlement, nanocreditsOf(charge))
    } catch (error) {
      if (error instanceof ServiceError) throw error
      this.#missing.delete(settlement.holdId)
      onRefused(settlement, error)
    }
  }
}
