/** The line of the log that the request of a line has, as every request has one. */
import { ServiceError } from '../platform/errors/service-error.ts'
import type { SystemClock } from '../platform/runtime/clock.ts'
import { type Logger, writeRecord } from '../platform/runtime/log.ts'
import type { Batch } from './batch.ts'
import type { BatchLine } from './batch-line-store.ts'

/** What is learnt about the request on its way. */
export interface LineFacts {
  /** By the monotonic clock. */
  readonly startedAt: number
  model: string | null
  /** Exact decimal text; null where nothing was charged. */
  creditsCharged: string | null
}

/** A request that is over. */
interface LoggedLine {
  readonly batch: Batch
  readonly line: BatchLine
  readonly facts: LineFacts
  /** What it failed with; null for an answer. */
  readonly error: unknown
}

/** Writes it. */
export function logLine(
  { log, clock }: { readonly log: Logger; readonly clock: Pick<SystemClock, 'elapsed'> },
  { batch, line, facts, error }: LoggedLine,
): void {
  const service = error instanceof ServiceError ? error : null
  const own = {
    request_id: line.requestId,
    batch_id: batch.batchId,
    line: line.line + 1,
    endpoint: batch.endpoint,
    status: error === null ? 200 : (service?.status ?? 500),
    duration_ms: Math.round(clock.elapsed() - facts.startedAt),
    key_id: batch.keyId,
    credits_charged: facts.creditsCharged,
  }
  const foreign = { model: facts.model }
  if (error === null) return writeRecord(log, { own, foreign }, 'batch request')
  log.info({ ...own, ...foreign, code: service?.code ?? 'internal_error', ...service?.internal }, 'batch request')
}
