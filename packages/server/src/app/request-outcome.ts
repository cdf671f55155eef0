/** What the books say of a request, for its repetition under the same Idempotency-Key. Part of the composition. */
import { createUsageStore } from '../money/billing/usage-store.ts'
import type { OpenDatabase } from '../platform/db/open-database.ts'
import type { BegunRequest, RequestOutcome } from '../admission/idempotency/idempotency.ts'
import type { LeaseObserver } from '../money/ledger/lease-observer.ts'
import { findLease } from '../money/ledger/orphan-store.ts'
import { batchIdOf, keyOfBatches } from '../batches/batch.ts'
import { createBatchStore } from '../batches/batch-store.ts'
import { messageBatchIdOf } from '../batches/message-batch.ts'
import type { Clock } from '../platform/runtime/clock.ts'

/** A process writes down the answer of a request within so many milliseconds of its settlement. Source: own choice. */
const WRITTEN_DOWN_MS = 10_000

interface OutcomeDeps {
  readonly clock: Clock
  readonly processId: string
  readonly leases: Pick<LeaseObserver, 'isGone'>
}

/** Whether the process that has begun a request answers for it. */
async function isAnswered(
  database: OpenDatabase,
  { leases }: OutcomeDeps,
  { processId }: BegunRequest,
): Promise<boolean> {
  return !leases.isGone(processId, await findLease(database, processId))
}

/**
 * Whether another process writes the answer down that it has had since a time, which its own clock wrote. Where that
 * clock is far from this one, the answer is taken as written down.
 */
async function isWritingDown(
  database: OpenDatabase,
  deps: OutcomeDeps,
  request: BegunRequest,
  since: number,
): Promise<boolean> {
  const isRecent = Math.abs(deps.clock.now() - since) < WRITTEN_DOWN_MS
  return isRecent && request.processId !== deps.processId && isAnswered(database, deps, request)
}

/**
 * Makes the question. A hold that is open is open work, whichever process answers for it; a record tells whether the
 * work was charged; without either it depends on whether the process that began the work is alive.
 */
export function requestOutcome(
  database: OpenDatabase,
  deps: OutcomeDeps,
): (request: BegunRequest) => Promise<RequestOutcome> {
  const usage = createUsageStore(database)
  return async (request) => {
    if ((await usage.findOpenHold({ keyId: request.callerId }, request.requestId)) !== null) return 'open'
    const record = await usage.find({ keyId: request.callerId }, request.requestId)
    if (record === null) {
      const isElsewhere = request.processId !== deps.processId
      return isElsewhere && (await isAnswered(database, deps, request)) ? 'open' : 'free'
    }
    if (record.charge === 0n && record.status !== 'ok') return 'free'
    return (await isWritingDown(database, deps, request, record.created_at)) ? 'open' : 'charged'
  }
}

/**
 * Makes the same question for batches and their lines, whose names are no names of requests of their key. A batch is in
 * no book; its row, which has the id of the request that started it, tells that it was started.
 */
export function batchOutcome(
  database: OpenDatabase,
  deps: OutcomeDeps,
): (request: BegunRequest) => Promise<RequestOutcome> {
  const outcomeOf = requestOutcome(database, deps)
  const batches = createBatchStore(database)
  return async (request) => {
    const { callerId, requestId } = request
    const startedAt = await batches.findCreation(batchIdOf(requestId))
    if (startedAt === null) return outcomeOf({ ...request, callerId: keyOfBatches(callerId) })
    return (await isWritingDown(database, deps, request, startedAt)) ? 'open' : 'charged'
  }
}

/** What is said of a request that was charged and whose answer is not kept. */
export function reportCharged(requestId: string): string {
  return (
    'The request with this Idempotency-Key was worked on and charged, and its answer is no longer here. ' +
    `GET /v1/usage/${requestId} tells what became of it.`
  )
}

/** What is said of a batch that was started and of which that was not answered, or not kept. */
export function reportStarted(requestId: string): string {
  const batchId = batchIdOf(requestId)
  return (
    'The batch with this Idempotency-Key was started, and the answer to that is no longer here. ' +
    `It is ${batchId}: GET /v1/batches/${batchId}, or /v1/messages/batches/${messageBatchIdOf(batchId)} where it is one ` +
    'of messages.'
  )
}

/**
 * Makes the same question for requests of the console, which are in no book. One that ended here without an answer has
 * failed; what a process that is gone left behind may have had its effect.
 */
export function consoleOutcome(
  database: OpenDatabase,
  deps: OutcomeDeps,
): (request: BegunRequest) => Promise<RequestOutcome> {
  return async (request) => {
    if (request.processId === deps.processId) return 'free'
    return (await isAnswered(database, deps, request)) ? 'open' : 'charged'
  }
}

/** What is said of a request of the console whose answer is not kept. */
export function reportBegun(): string {
  return (
    'A request with this Idempotency-Key was begun before, and its answer is not here. ' +
    'Look whether it had its effect before you send another.'
  )
}
