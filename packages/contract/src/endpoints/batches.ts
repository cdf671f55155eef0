import { batchesQuery, batchList, batchPath, batchReply, batchRequest } from '../batches.ts'
import type { EndpointTable } from './endpoint.ts'

const onBatch = { auth: 'key', right: 'inference', tag: 'Batches', rateClass: 'keyed' } as const

export const batchesEndpoints = {
  createBatch: {
    ...onBatch,
    id: 'createBatch',
    method: 'POST',
    path: '/v1/batches',
    summary: 'Start a batch',
    description:
      'The requests of a file, made within 24 hours beside the requests of others. Each line is a request of its own: ' +
      'it is held for and charged when it is made, by the key that started the batch, and one that fails is free. ' +
      'Nothing is held for the batch itself.',
    request: { body: batchRequest },
    reply: { description: 'The batch.', json: batchReply },
    errors: [
      'invalid_json',
      'missing_required_parameter',
      'invalid_value',
      'insufficient_credits',
      'file_not_found',
      'idempotency_key_in_use',
      'idempotency_answer_gone',
      'idempotency_key_reused',
      'request_timeout',
      'limit_reached',
      'request_too_large',
      'unsupported_media_type',
    ],
  },
  listBatches: {
    ...onBatch,
    id: 'listBatches',
    method: 'GET',
    path: '/v1/batches',
    summary: 'List the batches of the team',
    description: 'The latest first.',
    request: { query: batchesQuery },
    reply: { description: 'One page of batches.', json: batchList },
    errors: ['invalid_value'],
  },
  getBatch: {
    ...onBatch,
    id: 'getBatch',
    method: 'GET',
    path: '/v1/batches/{batch_id}',
    summary: 'Ask for the state of a batch',
    description: 'Its files are there once it has ended.',
    request: { path: batchPath },
    reply: { description: 'The batch.', json: batchReply },
    errors: ['invalid_value', 'job_not_found'],
  },
  cancelBatch: {
    ...onBatch,
    id: 'cancelBatch',
    method: 'POST',
    path: '/v1/batches/{batch_id}/cancel',
    summary: 'Cancel a batch',
    description:
      'No further line is begun. Lines that are being worked on come to their end and are charged; then the batch is ' +
      '`cancelled`, and its files have what was made.',
    request: { path: batchPath },
    reply: { description: 'The batch.', json: batchReply },
    errors: ['invalid_value', 'job_not_found', 'job_not_cancelled'],
    isRepeatable: true,
  },
} as const satisfies EndpointTable<'createBatch' | 'listBatches' | 'getBatch' | 'cancelBatch'>
