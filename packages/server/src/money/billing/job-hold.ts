/**
 * Holds of jobs: they are placed like those of any request, and then belong to the job instead of a process. They stay
 * open for as long as the job lives, however many processes come and go. Source: decision 0024 (video jobs).
 */
import { nanocreditsOf, type Nanocredits, ZERO } from '@svc/contract'
import type { CompiledQuery } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { handHoldToJobs, JOBS_OWNER } from '../ledger/hold-owner.ts'
import type { SettleHold } from '../ledger/operations.ts'
import { type BillingDeps, type HoldRequest, type OpenHold, placeHold } from './open-hold.ts'
import type { Settlement } from './settlement.ts'

export interface JobHoldDeps extends BillingDeps {
  readonly database: Pick<Database, 'read'>
}

/** A hold that is placed and still this process's own. */
export interface PlacedJobHold {
  readonly hold: OpenHold
  /** Gives the hold to its job. Belongs into the transaction that remembers the job. */
  readonly takeOver: CompiledQuery
  /** The hold is the job's now: this process no longer answers for it. */
  release(): void
}

/**
 * Holds credits for a job before any upstream is asked.
 *
 * @throws {ServiceError} as `placeHold`.
 */
export async function placeJobHold(deps: JobHoldDeps, request: HoldRequest): Promise<PlacedJobHold> {
  const hold = await placeHold(deps, request)
  return {
    hold,
    takeOver: handHoldToJobs(deps.database, hold.id),
    release: () => deps.openHolds.remove(hold),
  }
}

/** A job's hold, as the job's own row remembers it. */
export interface JobHold {
  readonly id: string
  readonly accountId: string
  readonly keyId: string
  readonly type: 'video'
  readonly model: string
  readonly amount: bigint
  readonly placedAt: number
}

/** What became of a job's hold. */
export interface JobSettlement {
  readonly charge: Nanocredits
  /** Whether this settlement is the one that ended the hold; false when it had ended before. */
  readonly isFirst: boolean
}

/**
 * Ends the hold of a job, once, whoever asks and however often. Answers when it is durable, with what was charged then.
 *
 * @throws {ServiceError} when it is not durable yet: asking again is safe.
 */
export async function settleJobHold(
  deps: Pick<BillingDeps, 'ledger' | 'clock' | 'recent' | 'emptyAnswers' | 'onSettled'>,
  hold: JobHold,
  settlement: Settlement,
): Promise<JobSettlement> {
  const now = deps.clock.now()
  // From one process to another there are rows alone: a clock that was set back makes it nothing.
  const latencyMs = Math.max(0, now - hold.placedAt)
  const { accountId, keyId, type, model, placedAt } = hold
  const placed = { accountId, keyId, type, model, placedAt }
  const operation: SettleHold = {
    kind: 'settle',
    holdId: hold.id,
    end: settlement.facts.status === 'error' ? 'released' : 'captured',
    charge: settlement.charge,
    cost: settlement.cost,
    lost: settlement.charge === 0n ? settlement.cost : ZERO,
    facts: { ...settlement.facts, latencyMs },
    placed: { ...placed, processId: JOBS_OWNER, stream: false },
    now,
  }
  const result = await deps.ledger.submit(operation)
  if (result.kind !== 'unknown_caller') deps.recent?.note(operation)
  if (result.kind === 'settled') {
    const { id, amount } = hold
    deps.emptyAnswers?.note(accountId, operation)
    deps.onSettled?.(
      { id, amount, ageMs: latencyMs, firstContentMs: null, request: { type, model } },
      operation,
      result,
    )
  }
  return { charge: nanocreditsOf(result.charge), isFirst: result.kind === 'settled' }
}
