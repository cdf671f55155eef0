/** Batches in the form of Anthropic's Message Batches API. Source: Anthropic, "Message Batches". */
import type { MessageBatchReply, Printed } from '@svc/contract'
import { type Batch, MESSAGES_PATH } from './batch.ts'
import type { NamedBatch } from './manage-batches.ts'

const ID = /^msgbatch_([0-9a-f]{32})$/

/** The id of a batch as clients of this form read it. */
export function messageBatchIdOf(batchId: string): string {
  return `msg${batchId}`
}

/** The batch that such an id names. */
export function batchOfMessages(messageBatchId: string): NamedBatch {
  // What is no such id names no batch.
  const batchId = `batch_${ID.exec(messageBatchId)?.[1] ?? ''}`
  return {
    asSent: messageBatchId,
    batchId,
    param: 'message_batch_id',
    isMine: (endpoint) => endpoint === MESSAGES_PATH,
  }
}

function timeOf(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}

/** As clients read it. @param publicBaseUrl ends in `/api`. */
export function renderMessageBatch(batch: Batch, publicBaseUrl: string): Printed<MessageBatchReply> {
  const { state, total, completed, failed, endedAt } = batch
  const id = messageBatchIdOf(batch.batchId)
  const rest = total - completed - failed
  return {
    id,
    type: 'message_batch',
    processing_status: endedAt !== null ? 'ended' : state === 'cancelling' ? 'canceling' : 'in_progress',
    request_counts: {
      processing: endedAt === null ? rest : 0,
      succeeded: completed,
      // What is not made because the answers of the others are too long, or its file has gone, is neither canceled nor
      // expired.
      errored: failed + (state === 'completed' || state === 'failed' ? rest : 0),
      canceled: state === 'cancelled' ? rest : 0,
      expired: state === 'expired' ? rest : 0,
    },
    created_at: new Date(batch.createdAt).toISOString(),
    expires_at: new Date(batch.expiresAt).toISOString(),
    ended_at: timeOf(endedAt),
    cancel_initiated_at: timeOf(batch.cancellingAt),
    archived_at: null,
    results_url: endedAt === null ? null : `${publicBaseUrl}${MESSAGES_PATH}/batches/${id}/results`,
  }
}
