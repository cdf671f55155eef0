/** What the books say of a request, for its repetition under the same Idempotency-Key. Part of the composition. */
import { createUsageStore } from './billing/usage-store.ts'
import type { OpenDatabase } from './db/open-database.ts'
import type { BegunRequest, RequestOutcome } from './idempotency/idempotency.ts'
import { isLeaseRunning } from './ledger/orphan-store.ts'
import type { Clock } from './runtime/clock.ts'

/** A process writes down the answer of a request within so many milliseconds of its settlement. Source: own choice. */
const WRITTEN_DOWN_MS = 10_000

/**
 * Makes the question. A hold that is open is open work, whoever answers for it; a record tells whether the work was
 * charged; without either it depends on whether the process that began the work is alive.
 */
export function requestOutcome(
  database: OpenDatabase,
  { clock, processId }: { readonly clock: Clock; readonly processId: string },
): (request: BegunRequest) => Promise<RequestOutcome> {
  const usage = createUsageStore(database)
  return async (request) => {
    if ((await usage.findOpenHold({ keyId: request.keyId }, request.requestId)) !== null) return 'open'
    const record = await usage.find({ keyId: request.keyId }, request.requestId)
    const isElsewhere = request.processId !== processId
    const isAlive = isElsewhere && (await isLeaseRunning(database, request.processId, clock.now()))
    if (record === null) return isAlive ? 'open' : 'free'
    if (record.charge === 0n && record.status !== 'ok') return 'free'
    return isAlive && clock.now() - record.created_at < WRITTEN_DOWN_MS ? 'open' : 'charged'
  }
}
