import { type BatchRequest, OPEN_BATCHES_MAX } from '@svc/contract'
import type { Caller } from '../access/keys/caller.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import { findFile } from '../uploads/manage-files.ts'
import { type Batch, batchIdOf } from './batch.ts'
import type { BatchDeps } from './batch-deps.ts'

/** How long a batch may take, in milliseconds. Source: OpenAI, "Create batch", `completion_window`. */
const WINDOW_MS = 86_400_000
/** Its file is there for so long beyond that, in milliseconds: what was not made is named. Source: own choice. */
const FILE_BEYOND_MS = 600_000

/**
 * Starts a batch. Its file is read once it is worked on.
 *
 * @throws {ServiceError} `file_not_found`, `invalid_value`, `limit_reached`.
 */
export async function startBatch(
  deps: BatchDeps,
  { accountId, keyId }: Pick<Caller, 'accountId' | 'keyId'>,
  { requestId, request }: { readonly requestId: string; readonly request: BatchRequest },
): Promise<Batch> {
  const param = 'input_file_id'
  const file = await findFile(deps.uploads, { accountId }, { fileId: request.input_file_id, param })
  if (file.purpose !== 'batch') {
    throw new ServiceError(
      'invalid_value',
      "Invalid value for 'input_file_id': expected a file with the purpose 'batch'.",
      {
        param,
      },
    )
  }
  const createdAt = deps.clock.now()
  const expiresAt = Math.min(createdAt + WINDOW_MS, file.expiresAt - FILE_BEYOND_MS)
  if (expiresAt <= createdAt) {
    throw new ServiceError('invalid_value', "Invalid value for 'input_file_id': the file expires too soon.", { param })
  }
  const batch: Batch = {
    ...{ batchId: batchIdOf(requestId), accountId, keyId, endpoint: request.endpoint, inputFileId: file.fileId },
    ...{ metadata: request.metadata ?? null, cardPercent: deps.cardPercent },
    outputSeconds: request.output_expires_after?.seconds ?? null,
    ...{ state: 'validating', total: 0, completed: 0, failed: 0, nextLine: 0, nextOffset: 0, keptBytes: 0 },
    ...{ errors: null, outputFileId: null, errorFileId: null, createdAt, expiresAt, startedAt: null },
    ...{ finalizingAt: null, cancellingAt: null, endedAt: null, nextStepAt: createdAt },
  }
  if (await deps.store.insert(batch)) return batch
  const message = `A team can have ${OPEN_BATCHES_MAX} batches that have not ended: wait for one, or cancel one.`
  throw new ServiceError('limit_reached', message, { shouldRetry: false })
}

/** @throws {ServiceError} `job_not_found`: there is none, or it is another account's. */
export async function findBatch(
  { store }: Pick<BatchDeps, 'store'>,
  { accountId }: Pick<Caller, 'accountId'>,
  batchId: string,
): Promise<Batch> {
  const batch = await store.find(accountId, batchId)
  if (batch !== null) return batch
  throw new ServiceError('job_not_found', `This team has no batch ${JSON.stringify(batchId)}.`, { param: 'batch_id' })
}

/**
 * Lets no further line of a batch begin. One that is cancelled already, or comes to its end now, stays as it is.
 *
 * @throws {ServiceError} `job_not_found`; `job_not_cancelled` where it has ended.
 */
export async function cancelBatch(deps: BatchDeps, owner: Pick<Caller, 'accountId'>, batchId: string): Promise<Batch> {
  await findBatch(deps, owner, batchId)
  const isCancelled = await deps.store.cancel(batchId, deps.clock.now())
  const batch = await deps.store.get(batchId)
  if (isCancelled || batch.endedAt === null || batch.state === 'cancelled') return batch
  throw new ServiceError('job_not_cancelled', `A batch that is '${batch.state}' cannot be cancelled.`, {
    param: 'batch_id',
    shouldRetry: false,
  })
}
