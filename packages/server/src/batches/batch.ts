/**
 * Room `batches`: the requests of a file, each made as if its key had sent it, beside the requests of others. A batch
 * holds nothing itself. Any process goes on with it where another stopped: what came of a line is written down before
 * it is charged, and the name of a line lets one request alone be charged for it.
 *
 * Source: decision 0135.
 */
import type { BatchEndpoint, BatchReply, BatchState, Nanocredits, Printed } from '@svc/contract'

/** Where batches of messages would be sent one by one. */
export const MESSAGES_PATH = '/v1/messages' as const

/** What the lines of a batch can be. */
export type LineEndpoint = BatchEndpoint | typeof MESSAGES_PATH

export interface Batch {
  /** `batch_` and 32 hex digits that sort by time. */
  readonly batchId: string
  readonly accountId: string
  /** Pays for each line. */
  readonly keyId: string
  readonly endpoint: LineEndpoint
  readonly inputFileId: string
  readonly metadata: Readonly<Record<string, string>> | null
  /** How much of the rate card is charged. */
  readonly cardPercent: number
  /** The most that each line may cost, as its maker has agreed; null for what it costs. */
  readonly lineMost: Nanocredits | null
  /** How long its files are kept, in seconds; null for as long as usual. */
  readonly outputSeconds: number | null
  readonly state: BatchState
  /** Lines that are no blank ones; 0 until they were counted. */
  readonly total: number
  readonly completed: number
  readonly failed: number
  /** Where the file is read on: how many lines were passed, blank ones included, and how many bytes. */
  readonly nextLine: number
  readonly nextOffset: number
  /** Length of the results that are kept until the end. */
  readonly keptBytes: number
  readonly errors: readonly BatchProblem[] | null
  readonly outputFileId: string | null
  readonly errorFileId: string | null
  /** Integer milliseconds, as all times. */
  readonly createdAt: number
  /** What has not begun by then is not made. */
  readonly expiresAt: number
  readonly startedAt: number | null
  readonly finalizingAt: number | null
  readonly cancellingAt: number | null
  readonly endedAt: number | null
  /** Null once it has ended. */
  readonly nextStepAt: number | null
}

/** What is wrong with the file of a batch. */
export interface BatchProblem {
  readonly code: string
  readonly message: string
  readonly param: string | null
  /** Counted from 1; null where it is the whole file. */
  readonly line: number | null
}

/** Makes the id of a batch of the id of the request that started it. */
export function batchIdOf(requestId: string): string {
  return `batch_${requestId.replaceAll('-', '')}`
}

const OF_BATCHES = ':batches'

/** Who has the names of the batches of a key and of their lines: no request of the key itself can take one. */
export function callerOfBatches(keyId: string): string {
  return `${keyId}${OF_BATCHES}`
}

/** The key of such a caller. */
export function keyOfBatches(callerId: string): string {
  return callerId.slice(0, -OF_BATCHES.length)
}

function secondsOf(time: number | null): number | null {
  return time === null ? null : Math.floor(time / 1_000)
}

/** As clients read it. */
export function renderBatch(batch: Batch): Printed<BatchReply> {
  const { state, errors } = batch
  const endedAs = (wanted: BatchState): number | null => (state === wanted ? secondsOf(batch.endedAt) : null)
  return {
    id: batch.batchId,
    object: 'batch',
    endpoint: batch.endpoint,
    errors: errors === null ? null : { object: 'list', data: errors.map((problem) => ({ ...problem })) },
    input_file_id: batch.inputFileId,
    completion_window: '24h',
    status: state,
    output_file_id: batch.outputFileId,
    error_file_id: batch.errorFileId,
    created_at: Math.floor(batch.createdAt / 1_000),
    in_progress_at: secondsOf(batch.startedAt),
    expires_at: secondsOf(batch.expiresAt),
    finalizing_at: secondsOf(batch.finalizingAt),
    completed_at: endedAs('completed'),
    failed_at: endedAs('failed'),
    expired_at: endedAs('expired'),
    cancelling_at: secondsOf(batch.cancellingAt),
    cancelled_at: endedAs('cancelled'),
    request_counts: { total: batch.total, completed: batch.completed, failed: batch.failed },
    metadata: batch.metadata,
  }
}
