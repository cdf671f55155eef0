import type { batchesEndpoints } from '../endpoints/batches.ts'
import { CREATED, type ExampleTable } from './example.ts'

const ID = 'batch_0199f0a47c1e7a529d1b3f5a2c7e8b91'

const started = {
  id: ID,
  object: 'batch',
  endpoint: '/v1/chat/completions',
  errors: null,
  input_file_id: 'file-0199f0a47c1e7a529d1b3f5a2c7e8b90',
  completion_window: '24h',
  status: 'validating',
  output_file_id: null,
  error_file_id: null,
  created_at: CREATED,
  in_progress_at: null,
  expires_at: CREATED + 86_400,
  finalizing_at: null,
  completed_at: null,
  failed_at: null,
  expired_at: null,
  cancelling_at: null,
  cancelled_at: null,
  request_counts: { total: 0, completed: 0, failed: 0 },
  metadata: { run: 'nightly' },
}

const completed = {
  ...started,
  status: 'completed',
  output_file_id: 'file-0199f0a87c1e7a529d1b3f5a2c7e8b92',
  in_progress_at: CREATED + 2,
  finalizing_at: CREATED + 240,
  completed_at: CREATED + 241,
  request_counts: { total: 100, completed: 100, failed: 0 },
}

const MESSAGES_ID = 'msgbatch_0199f0a47c1e7a529d1b3f5a2c7e8b93'

const messages = {
  id: MESSAGES_ID,
  type: 'message_batch',
  processing_status: 'in_progress',
  request_counts: { processing: 1, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
  created_at: '2026-11-27T17:00:00.000Z',
  expires_at: '2026-11-28T17:00:00.000Z',
  ended_at: null,
  cancel_initiated_at: null,
  archived_at: null,
  results_url: null,
}

const endedMessages = {
  ...messages,
  processing_status: 'ended',
  request_counts: { processing: 0, succeeded: 1, errored: 0, canceled: 0, expired: 0 },
  ended_at: '2026-11-27T17:04:00.000Z',
  results_url: `https://gateway.example/api/v1/messages/batches/${MESSAGES_ID}/results`,
}

export const batchesExamples: ExampleTable<typeof batchesEndpoints> = {
  createBatch: {
    body: {
      input_file_id: started.input_file_id,
      endpoint: started.endpoint,
      completion_window: '24h',
      metadata: { run: 'nightly' },
    },
    reply: started,
  },
  listBatches: { reply: { object: 'list', data: [completed], first_id: ID, last_id: ID, has_more: false } },
  getBatch: { reply: completed },
  cancelBatch: { reply: { ...started, status: 'cancelling', cancelling_at: CREATED + 30 } },
  createMessageBatch: {
    body: {
      requests: [
        {
          custom_id: 'review-1',
          params: { model: 'svc-claude', max_tokens: 500, messages: [{ role: 'user', content: 'Say hello.' }] },
        },
      ],
    },
    reply: messages,
  },
  listMessageBatches: {
    reply: { data: [endedMessages], first_id: MESSAGES_ID, last_id: MESSAGES_ID, has_more: false },
  },
  getMessageBatch: { reply: endedMessages },
  deleteMessageBatch: { reply: { id: MESSAGES_ID, type: 'message_batch_deleted' } },
  getMessageBatchResults: {},
  cancelMessageBatch: {
    reply: { ...messages, processing_status: 'canceling', cancel_initiated_at: '2026-11-27T17:00:30.000Z' },
  },
}
