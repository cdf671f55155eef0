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
}
