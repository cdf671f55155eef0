import { ServiceError } from '../platform/errors/service-error.ts'
import type { Batch } from './batch.ts'
import type { BatchDeps } from './batch-deps.ts'

/** Says that a batch has no end yet. */
export function notEnded(): ServiceError {
  const message = 'This batch has not ended: wait for it, or cancel it.'
  return new ServiceError('job_not_completed', message, { param: 'message_batch_id', shouldRetry: false })
}

/** Deletes a batch that has ended, with its files. @throws {ServiceError} `job_not_completed`. */
export async function deleteBatch({ store, uploads }: BatchDeps, batch: Batch): Promise<void> {
  if (!(await store.remove(batch.batchId))) throw notEnded()
  for (const fileId of [batch.inputFileId, batch.outputFileId, batch.errorFileId]) {
    const file = fileId === null ? null : await uploads.store.find(batch.accountId, fileId, 0)
    if (file === null) continue
    await uploads.store.delete(file.fileId)
    // What cannot be removed now ends by itself.
    await uploads.vault.remove(file).catch(() => undefined)
  }
}
