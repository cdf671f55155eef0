/**
 * The money path of one request: place a hold, do the work, settle once. An `OpenHold` is all that use cases see of
 * money. One `OpenHolds` lists every open hold of this process; from there holds are journaled, revoked and, at the
 * end, settled.
 */
import { type Nanocredits, type UsageType, ZERO } from '@svc/contract'
import { codeOf } from '../../platform/errors/code-of.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { Caller } from '../../access/keys/caller.ts'
import { invalidApiKey } from '../../access/keys/invalid-api-key.ts'
import type { HoldProgress, PlacedHold, PlaceHold, RequestName, SettleHold, UsageFacts } from '../ledger/operations.ts'
import { costAtPar } from '../../pricing/usd.ts'
import type { SystemClock } from '../../platform/runtime/clock.ts'
import { Bill } from '../../upstreams/bill.ts'
import { unitsFor } from '../ledger/hold-size.ts'
import { insufficientCredits } from './insufficient-credits.ts'
import { type Charged, NO_FACTS, type Settlement, settleOperation } from './settlement.ts'
import { SettlementWriter, type SettlementWriterDeps } from './settlement-writer.ts'

/** Lists holds while they are open; `OpenHolds` is one. */
export interface HoldRegistry {
  add(hold: OpenHold): void
  remove(hold: { readonly id: string }): void
  /** @throws {ServiceError} 503 while this process must begin nothing. */
  checkMayBegin(): void
}

/** What holds and their settlements are given. */
export interface BillingDeps extends SettlementWriterDeps {
  readonly clock: SystemClock
  readonly openHolds: HoldRegistry
  /** This process's name in the leases. */
  readonly processId: string
  /** How long a lease of this process lasts, in milliseconds; absent where no progress is written down in between. */
  readonly leaseMs?: number | undefined
  /** The address of the console, without a slash at its end: a 402 names the page of it that helps. */
  readonly consoleUrl: () => string
  /** Under which Idempotency-Key a request was asked for; absent where none has one. */
  readonly nameOf?: ((requestId: string) => RequestName | null) | undefined
}

/** What a request wants to hold, and how. */
export interface HoldRequest extends Pick<
  PlaceHold,
  'model' | 'stream' | 'fixed' | 'perUnit' | 'units' | 'policy' | 'firstUnits' | 'flush'
> {
  readonly requestId: string
  readonly caller: Caller
  /** What kind of work it is: it decides how a 402 counts what could be paid. */
  readonly type: UsageType
  /** The most that the caller has agreed to pay, at least what is held; null where nothing was agreed. */
  readonly most: Nanocredits | null
}

const refusals = {
  key_revoked: invalidApiKey(),
  key_expired: invalidApiKey(),
  account_suspended: new ServiceError('account_suspended', 'This account is suspended.'),
} as const

/** A hold that is not settled yet. */
export class OpenHold {
  readonly id: string
  readonly request: HoldRequest
  /** By the system's clock: for rows and for what callers read. */
  readonly placedAt: number
  /** What upstreams have billed for it so far. */
  readonly bill = new Bill()
  /** Fires when the request must end: its key was revoked, or the gateway stops. The reason is a `ServiceError`. */
  readonly ended = new AbortController()
  /** What the request would be charged if this process died now; null while nothing was delivered. */
  progress: () => HoldProgress | null = () => null
  /** How long the caller's first content took, in milliseconds; null before it, and for whole answers. */
  firstContentMs: number | null = null
  #fixed: Nanocredits
  #units: number
  #limitUnits: number | null
  /** Null until it is settled for the first time. */
  #writer: SettlementWriter | null = null
  readonly #startedAt: number
  readonly #name: RequestName | null
  readonly #deps: BillingDeps

  /** @param placed.startedAt by the monotonic clock. */
  constructor(
    deps: BillingDeps,
    request: HoldRequest,
    placed: {
      readonly units: number
      readonly limitUnits: number | null
      readonly placedAt: number
      readonly startedAt: number
    },
  ) {
    this.#deps = deps
    this.id = request.requestId
    this.request = request
    this.placedAt = placed.placedAt
    this.#name = deps.nameOf?.(request.requestId) ?? null
    this.#startedAt = placed.startedAt
    this.#fixed = request.fixed
    this.#limitUnits = placed.limitUnits
    this.#units = placed.units
  }

  /** Units of output that the hold covers now. */
  get units(): number {
    return this.#units
  }

  /** Units that the balance can pay at all; null when the request needs no limit of ours. */
  get limitUnits(): number | null {
    return this.#limitUnits
  }

  /** Credits that the hold keeps back now, in nanocredits. */
  get amount(): bigint {
    return this.#fixed + this.request.perUnit * BigInt(this.#units)
  }

  /** Milliseconds since the hold was asked for. */
  get ageMs(): number {
    return this.#deps.clock.elapsed() - this.#startedAt
  }

  /** Notes that the caller's first content came; later calls change nothing. */
  noteFirstContent(): void {
    this.firstContentMs ??= this.ageMs
  }

  /** The settlement that the ledger has not answered yet; null before there is one. */
  get unwritten(): SettleHold | null {
    return this.#writer?.unwritten ?? null
  }

  /** Whether its settlement could not be written when it was due, not even into the journal, and is tried again. */
  get isStuck(): boolean {
    return this.#writer?.isStuck === true
  }

  /** Whether its settlement is in the journal and not yet in the books. */
  get isPending(): boolean {
    return this.charged?.isPending === true
  }

  /** What it was charged, once that is durable in books or journal; null before. */
  get charged(): Charged | null {
    return this.#writer?.charged ?? null
  }

  /** Whether it has ended, durably: nothing about it can change any more. */
  get isSettled(): boolean {
    return this.charged !== null
  }

  /** Learns that the prompt is bounded by less: what is held stays, and more of it is left for the output. */
  sharpen(fixed: Nanocredits): void {
    const { perUnit, units: unitsMax } = this.request
    if (fixed >= this.#fixed || perUnit === 0n) return
    const freed = Number((this.#fixed - fixed) / perUnit)
    this.#fixed = fixed
    this.#units = Math.min(this.#units + freed, unitsMax)
    if (this.#limitUnits !== null)
      this.#limitUnits = this.#limitUnits + freed < unitsMax ? this.#limitUnits + freed : null
  }

  /**
   * Raises the hold towards a number of units.
   * @returns the units that it covers now: fewer when a spending limit or what the caller agreed to is reached.
   * @throws {ServiceError} when the key was revoked or has expired, or the account is suspended.
   */
  async extend(targetUnits: number): Promise<number> {
    const { perUnit, most } = this.request
    const unitsMax = most === null ? targetUnits : unitsFor(most, this.#fixed, perUnit, targetUnits)
    const result = await this.#deps.ledger.submit({
      ...{ kind: 'extend', holdId: this.id },
      ...{ fixed: this.#fixed, perUnit, targetUnits: Math.max(unitsMax, this.#units) },
      now: this.#deps.clock.now(),
    })
    if (result.kind === 'extended') this.#units = result.units
    else if (result.reason !== 'hold_ended') throw refusals[result.reason]
    return this.#units
  }

  /**
   * Ends the hold with a charge (0 frees it) and writes the usage record. Once durable, answers what was really
   * charged. What the bill names beside what was delivered is written off with it.
   *
   * It is durable in the database or, while that does not answer, in the journal: then the charge is pending, and is
   * written later. A hold that is settled stays as it is: a second settlement does not ask the database and answers the
   * first charge.
   *
   * @throws {ServiceError} when it is not durable yet: neither database nor disk took it. It is kept and tried again.
   */
  async settle(settlement: Settlement): Promise<Charged> {
    const writer = (this.#writer ??= new SettlementWriter(this.#deps, this))
    if (writer.charged !== null) return writer.charged
    const { id, ageMs } = this
    const { most } = this.request
    const ending = { id, placed: this.#placed, ageMs, lost: costAtPar(this.bill.lost), most }
    return writer.write(settleOperation(ending, settlement, this.#deps.clock.now()))
  }

  /**
   * Makes the request free, unless it is settled already: the work failed, what it made could not be delivered, or its
   * caller left before there was any. Never rejects; a release that cannot be written now is written later.
   *
   * @param errorCode null when nothing failed; `facts.status` then says what happened.
   */
  async abandon(errorCode: string | null, facts: Partial<UsageFacts>): Promise<void> {
    if (this.isSettled) return
    this.bill.withdraw()
    const abandoned = { ...NO_FACTS, status: 'error' as const, ...facts, errorCode }
    await this.settle({ charge: ZERO, cost: ZERO, facts: abandoned }).catch(() => undefined)
  }

  /**
   * Writes its progress down now, for a settlement that is about to be waited for: if this process dies meanwhile, its
   * successors know what to ask for. Never rejects: the journal comes by itself, too.
   */
  async note(): Promise<void> {
    const { leaseMs, ledger, processId, clock } = this.#deps
    const entry = this.progress()
    if (entry === null || leaseMs === undefined) return
    const now = clock.now()
    const journal = { kind: 'journal', processId, leaseUntil: now + leaseMs, entries: [entry], now } as const
    await ledger.submit(journal).catch(() => undefined)
  }

  /**
   * Writes down that what was begun has failed and is free, if anything was noted of it: if this process dies
   * meanwhile, its successors charge nothing for it. Never rejects.
   */
  async noteFailure(): Promise<void> {
    const running = this.progress()
    if (running === null || running.verdict === 'failed') return
    const failed = { ...running, charge: ZERO, cost: ZERO, pricing: null, verdict: 'failed' } as const
    this.progress = () => failed
    await this.note()
  }

  get #placed(): PlacedHold {
    const { caller, type, model, stream } = this.request
    const { accountId, keyId } = caller
    const named = this.#name === null ? {} : { name: this.#name }
    return { accountId, keyId, processId: this.#deps.processId, type, model, stream, placedAt: this.placedAt, ...named }
  }

  /**
   * Tries again to write a settlement that waits. @returns false when the database does not take it now.
   * @throws what else it failed with: the ledger refuses it.
   */
  async rewrite(): Promise<boolean> {
    return this.#writer === null || this.#writer.rewrite()
  }
}

/**
 * Holds credits for a request before any upstream is asked. Every paid request of every kind passes here, so what holds
 * for all of them is asked here: whether the account has to wait because its answers were free again and again.
 *
 * @throws {ServiceError} 402 naming what is needed, 401 when the key was revoked or has expired, 403 when the account
 *   is suspended, 429 when the account has to wait, 503 when its end could not be taken down.
 */
export async function openHold(deps: BillingDeps, request: HoldRequest): Promise<OpenHold> {
  const { caller } = request
  deps.journal?.checkRoom()
  deps.emptyAnswers?.check(caller.accountId)
  const placedAt = deps.clock.now()
  const startedAt = deps.clock.elapsed()
  const result = await deps.ledger.submit({
    kind: 'place',
    holdId: request.requestId,
    accountId: caller.accountId,
    keyId: caller.keyId,
    teamBudgetId: caller.teamBudgetId,
    keyBudgetId: caller.keyBudgetId,
    processId: deps.processId,
    type: request.type,
    model: request.model,
    stream: request.stream,
    fixed: request.fixed,
    perUnit: request.perUnit,
    units: request.units,
    policy: request.policy,
    firstUnits: request.firstUnits,
    flush: request.flush,
    now: placedAt,
  })
  if (result.kind === 'refused') throw refusals[result.reason]
  if (result.kind === 'insufficient') throw insufficientCredits(result, { ...request, consoleUrl: deps.consoleUrl() })
  const hold = new OpenHold(deps, request, { units: result.units, limitUnits: result.limitUnits, placedAt, startedAt })
  deps.openHolds.add(hold)
  try {
    deps.openHolds.checkMayBegin()
  } catch (error) {
    await hold.abandon(codeOf(error), {})
    throw error
  }
  return hold
}
