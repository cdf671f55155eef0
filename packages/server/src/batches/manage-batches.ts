import { type BatchRequest, OPEN_BATCHES_MAX } from '@svc/contract'
import type { Caller } from '../access/keys/caller.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import { findFile } from '../uploads/manage-files.ts'
import { type Batch, batchIdOf, type LineEndpoint, MESSAGES_PATH } from './batch.ts'
import type { BatchDeps } from './batch-deps.ts'

/** How long a batch may take, in milliseconds. Source: OpenAI, "Create batch", `completion_window`. */
export const WINDOW_MS = 86_400_000
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
  { requestId, request, lineMost }: { readonly request: BatchRequest } & NamedLines,
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
  const { endpoint, metadata, output_expires_after: output } = request
  const started = { accountId, keyId, endpoint, inputFileId: file.fileId, createdAt, expiresAt }
  const kept = { metadata: metadata ?? null, outputSeconds: output?.seconds ?? null, lineMost }
  return insertBatch(deps, requestId, { ...started, ...kept, state: 'validating', total: 0, startedAt: null })
}

/** What a new batch is called, and the most that each of its lines may cost. */
export interface NamedLines extends Pick<Batch, 'lineMost'> {
  readonly requestId: string
}

/** What a batch is as it begins. */
type NewBatch = Pick<Batch, 'accountId' | 'keyId' | 'endpoint' | 'inputFileId' | 'metadata' | 'outputSeconds'> &
  Pick<Batch, 'lineMost' | 'state' | 'total' | 'startedAt' | 'createdAt' | 'expiresAt'>

/** @throws {ServiceError} `limit_reached`. */
export async function insertBatch(deps: BatchDeps, requestId: string, begun: NewBatch): Promise<Batch> {
  const batch: Batch = {
    ...begun,
    ...{ batchId: batchIdOf(requestId), cardPercent: deps.cardPercent, completed: 0, failed: 0 },
    ...{ nextLine: 0, nextOffset: 0, keptBytes: 0, errors: null, outputFileId: null, errorFileId: null },
    ...{ finalizingAt: null, cancellingAt: null, endedAt: null, nextStepAt: begun.createdAt },
  }
  if (await deps.store.insert(batch)) return batch
  const message = `A team can have ${OPEN_BATCHES_MAX} batches that have not ended: wait for one, or cancel one.`
  throw new ServiceError('limit_reached', message, { shouldRetry: false })
}

/** @throws {ServiceError} `job_not_found`: there is none, or it is another account's. */
export async function findBatch(
  { store }: Pick<BatchDeps, 'store'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { asSent, batchId, param, isMine }: NamedBatch,
): Promise<Batch> {
  const batch = await store.find(accountId, batchId)
  if (batch !== null && isMine(batch.endpoint)) return batch
  throw new ServiceError('job_not_found', `This team has no batch ${JSON.stringify(asSent)}.`, { param })
}

/** How a request names a batch, and of which kind it must be. */
export interface NamedBatch {
  /** The id as the request has it, for what is said about it. */
  readonly asSent: string
  readonly batchId: string
  readonly param: string
  readonly isMine: (endpoint: LineEndpoint) => boolean
}

/** A batch as OpenAI's clients name it. */
export function namedBatch(batchId: string): NamedBatch {
  return { asSent: batchId, batchId, param: 'batch_id', isMine: (endpoint) => endpoint !== MESSAGES_PATH }
}

/**
 * Lets no further line of a batch begin. One that is cancelled already, or comes to its end now, stays as it is.
 *
 * @throws {ServiceError} `job_not_found`; `job_not_cancelled` where it has ended.
 */
export async function cancelBatch(
  deps: BatchDeps,
  owner: Pick<Caller, 'accountId'>,
  named: NamedBatch,
): Promise<Batch> {
  const { batchId } = await findBatch(deps, owner, named)
  const isCancelled = await deps.store.cancel(batchId, deps.clock.now())
  const batch = await deps.store.get(batchId)
  if (isCancelled || batch.endedAt === null || batch.state === 'cancelled') return batch
  throw new ServiceError('job_not_cancelled', `A batch that is '${batch.state}' cannot be cancelled.`, {
    param: named.param,
    shouldRetry: false,
  })
}
