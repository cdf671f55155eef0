import { batchesQuery, batchList, batchPath, batchReply, batchRequest } from '../batches.ts'
import {
  messageBatchDeleted,
  messageBatchesQuery,
  messageBatchList,
  messageBatchPath,
  messageBatchReply,
  messageBatchRequest,
} from '../message-batches.ts'
import { bodyErrors, type EndpointTable } from './endpoint.ts'

const onBatch = { auth: 'key', right: 'inference', tag: 'Batches', rateClass: 'keyed' } as const

export const batchesEndpoints = {
  createBatch: {
    ...onBatch,
    id: 'createBatch',
    method: 'POST',
    path: '/v1/batches',
    isIdempotent: true,
    summary: 'Start a batch',
    description:
      'The requests of a file, made within 24 hours beside the requests of others. Each line is a request of its own: ' +
      'it is held for and charged when it is made, by the key that started the batch, and one that fails is free. ' +
      'Nothing is held for the batch itself. `x-svc-max-credits` bounds each line.',
    request: { body: batchRequest },
    reply: { description: 'The batch.', json: batchReply },
    errors: [...bodyErrors, 'unsupported_parameter', 'insufficient_credits', 'file_not_found', 'limit_reached'],
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
  createMessageBatch: {
    ...onBatch,
    id: 'createMessageBatch',
    method: 'POST',
    path: '/v1/messages/batches',
    isIdempotent: true,
    summary: 'Start a batch of messages',
    description:
      'A batch in the form of the Anthropic Message Batches API, for any model. Its requests come with it, and are ' +
      'kept as a file of the team. Each is held for and charged when it is made; nothing is held for the batch. ' +
      '`x-svc-max-credits` bounds each of them.',
    request: { body: messageBatchRequest },
    reply: { description: 'The batch.', json: messageBatchReply },
    errors: [...bodyErrors, 'unsupported_parameter', 'insufficient_credits', 'limit_reached'],
  },
  listMessageBatches: {
    ...onBatch,
    id: 'listMessageBatches',
    method: 'GET',
    path: '/v1/messages/batches',
    summary: 'List the batches of messages of the team',
    description: 'The latest first.',
    request: { query: messageBatchesQuery },
    reply: { description: 'One page of batches.', json: messageBatchList },
    errors: ['invalid_value'],
  },
  getMessageBatch: {
    ...onBatch,
    id: 'getMessageBatch',
    method: 'GET',
    path: '/v1/messages/batches/{message_batch_id}',
    summary: 'Ask for the state of a batch of messages',
    description: 'Its results are there once it has ended.',
    request: { path: messageBatchPath },
    reply: { description: 'The batch.', json: messageBatchReply },
    errors: ['invalid_value', 'job_not_found'],
  },
  deleteMessageBatch: {
    ...onBatch,
    id: 'deleteMessageBatch',
    method: 'DELETE',
    path: '/v1/messages/batches/{message_batch_id}',
    summary: 'Delete a batch of messages',
    description: 'With its files, once it has ended.',
    request: { path: messageBatchPath },
    reply: { description: 'It is deleted.', json: messageBatchDeleted },
    errors: ['invalid_value', 'job_not_found', 'job_not_completed'],
  },
  getMessageBatchResults: {
    ...onBatch,
    id: 'getMessageBatchResults',
    method: 'GET',
    path: '/v1/messages/batches/{message_batch_id}/results',
    summary: 'Read the results of a batch of messages',
    description: 'One a line: `{custom_id, result}`, with the type `succeeded`, `errored`, `canceled` or `expired`.',
    request: { path: messageBatchPath },
    reply: {
      description: 'The results.',
      bytes: { types: ['application/x-jsonl'], description: 'Lines of JSON.' },
    },
    errors: ['invalid_value', 'job_not_found', 'job_not_completed', 'content_expired'],
  },
  cancelMessageBatch: {
    ...onBatch,
    id: 'cancelMessageBatch',
    method: 'POST',
    path: '/v1/messages/batches/{message_batch_id}/cancel',
    summary: 'Cancel a batch of messages',
    description: 'Requests that are being worked on come to their end and are charged; no other begins.',
    request: { path: messageBatchPath },
    reply: { description: 'The batch.', json: messageBatchReply },
    errors: ['invalid_value', 'job_not_found', 'job_not_cancelled'],
    isRepeatable: true,
  },
} as const satisfies EndpointTable<
  | 'createBatch'
  | 'listBatches'
  | 'getBatch'
  | 'cancelBatch'
  | 'createMessageBatch'
  | 'listMessageBatches'
  | 'getMessageBatch'
  | 'deleteMessageBatch'
  | 'getMessageBatchResults'
  | 'cancelMessageBatch'
>
