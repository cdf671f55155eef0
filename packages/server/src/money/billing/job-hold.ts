/**
 * Holds of jobs: they are placed like those of any request, and belong to the job instead of a process once it has
 * begun. They stay open for as long as the job lives, however many processes come and go. Source: decision 0024 (video
 * jobs).
 */
import { nanocreditsOf, type Nanocredits } from '@svc/contract'
import type { CompiledQuery } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { handHoldToJobs, JOBS_OWNER } from '../ledger/hold-owner.ts'
import type { BillingDeps, OpenHold } from './open-hold.ts'
import { type EndingHold, type Settlement, settleOperation } from './settlement.ts'
import { type SettlementListeners, notifySettled } from './settlement-listener.ts'

export interface JobHoldDeps extends BillingDeps {
  readonly database: Pick<Database, 'read'>
}

/**
 * Gives an open hold to a job that has begun. From then on this process answers for it no longer: the job's end settles
 * it.
 *
 * @param remember writes the job down together with the statement that takes the hold over, in one transaction, and
 *   answers whether that took it.
 * @returns false where the hold had ended before.
 */
export async function handToJob(
  deps: JobHoldDeps,
  hold: Pick<OpenHold, 'id'>,
  remember: (takeOver: CompiledQuery) => Promise<boolean>,
): Promise<boolean> {
  const isTaken = await remember(handHoldToJobs(deps.database, hold.id))
  if (isTaken) deps.openHolds.remove(hold)
  return isTaken
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
  /** The most that the caller has agreed to pay; null where nothing was agreed. */
  readonly most: Nanocredits | null
}

/** What became of a job's hold. */
export interface JobSettlement {
  readonly charge: Nanocredits
  /** Whether this settlement is the one that ended the hold; false when it had ended before. */
  readonly isFirst: boolean
}

/**
 * Ends the hold of a job, once, whichever process asks and however often. Answers when it is durable, with what was
 * charged then.
 *
 * @throws {ServiceError} when it is not durable yet: asking again is safe.
 */
export async function settleJobHold(
  deps: SettlementListeners & Pick<BillingDeps, 'ledger' | 'clock'>,
  hold: JobHold,
  { lost, ...settlement }: Settlement & Pick<EndingHold, 'lost'>,
): Promise<JobSettlement> {
  const now = deps.clock.now()
  const { id, amount, accountId, keyId, type, model, placedAt, most } = hold
  // From one process to another there are rows alone: a clock that was set back makes it nothing.
  const ageMs = Math.max(0, now - placedAt)
  const placed = { accountId, keyId, processId: JOBS_OWNER, type, model, stream: false, placedAt }
  const operation = settleOperation({ id, placed, ageMs, lost, most }, settlement, now)
  const result = await deps.ledger.submit(operation)
  notifySettled(deps, { id, amount, ageMs, firstContentMs: null, request: { type, model } }, operation, result)
  return { charge: nanocreditsOf(result.charge), isFirst: result.kind === 'settled' }
}
