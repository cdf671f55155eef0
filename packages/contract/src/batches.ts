import { z } from 'zod'
import { FILE_SECONDS_MAX, FILE_SECONDS_MIN } from './files.ts'
import { wholeNumber } from './whole-number.ts'

/** Addresses that the lines of a batch may name. */
export const batchEndpoints = [
  '/v1/chat/completions',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/moderations',
  '/v1/rerank',
  '/v1/responses',
] as const

export type BatchEndpoint = (typeof batchEndpoints)[number]

/** Requests of one batch. Source: decision 0135. */
export const BATCH_LINES_MAX = 10_000
/** Longest line, in bytes. Source: decision 0135. */
export const BATCH_LINE_BYTES_MAX = 8 * 1024 * 1024
/** Longest `custom_id`, in characters. Source: own choice. */
export const CUSTOM_ID_MAX = 256
/** Batches of one team that have not ended. Source: decision 0135. */
export const OPEN_BATCHES_MAX = 10
/** Most batches on one page, and how many come unasked. Source: OpenAI, "List batches". */
export const BATCH_PAGE_MAX = 100
export const BATCH_PAGE_DEFAULT = 20

/** Source: OpenAI, "Create batch", `metadata`. */
const METADATA_ENTRIES_MAX = 16

export const batchRequest = z
  .object({
    input_file_id: z.string().min(1).max(64).describe('An uploaded file with the purpose `batch`.'),
    endpoint: z.enum(batchEndpoints).describe('The same in each line.'),
    completion_window: z.literal('24h').describe('What has not begun by then is not made.'),
    metadata: z
      .record(z.string().max(64), z.string().max(512))
      .refine((entries) => Object.keys(entries).length <= METADATA_ENTRIES_MAX, {
        error: `expected at most ${METADATA_ENTRIES_MAX} entries.`,
      })
      .nullish(),
    output_expires_after: z
      .object({ anchor: z.literal('created_at'), seconds: z.int().min(FILE_SECONDS_MIN).max(FILE_SECONDS_MAX) })
      .nullish()
      .describe('How long its files are kept; 30 days by default.'),
  })
  .meta({ id: 'BatchRequest' })

export type BatchRequest = z.output<typeof batchRequest>

export const batchStates = [
  'validating',
  'failed',
  'in_progress',
  'finalizing',
  'completed',
  'expired',
  'cancelling',
  'cancelled',
] as const

export type BatchState = (typeof batchStates)[number]

const time = z.int().nullable()

export const batchReply = z
  .looseObject({
    id: z.string(),
    object: z.literal('batch'),
    endpoint: z.string(),
    errors: z
      .looseObject({
        object: z.literal('list'),
        data: z.array(
          z.looseObject({
            code: z.string(),
            message: z.string(),
            param: z.string().nullable(),
            line: z.int().nullable().describe('Counted from 1.'),
          }),
        ),
      })
      .nullable()
      .describe('What is wrong with the file; null unless the batch is `failed`.'),
    input_file_id: z.string(),
    completion_window: z.string(),
    status: z.enum(batchStates),
    output_file_id: z.string().nullable().describe('Answers, in the order of the lines; null for none.'),
    error_file_id: z.string().nullable().describe('Requests that failed or were not made; null for none.'),
    created_at: z.int(),
    in_progress_at: time,
    expires_at: time,
    finalizing_at: time,
    completed_at: time,
    failed_at: time,
    expired_at: time,
    cancelling_at: time,
    cancelled_at: time,
    request_counts: z.looseObject({ total: z.int(), completed: z.int(), failed: z.int() }),
    metadata: z.record(z.string(), z.string()).nullable(),
  })
  .meta({ id: 'Batch' })

export type BatchReply = z.output<typeof batchReply>

export const batchList = z
  .object({
    object: z.literal('list'),
    data: z.array(batchReply),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: 'BatchList' })

export type BatchListReply = z.output<typeof batchList>

const batchId = z.string().min(1).max(64)

export const batchesQuery = z.object({
  limit: wholeNumber({ min: 1, max: BATCH_PAGE_MAX }).prefault(BATCH_PAGE_DEFAULT),
  after: z
    .string()
    .regex(/^batch_[0-9a-f]{32}$/, 'expected the id of a batch.')
    .optional()
    .describe('Id of the last batch of the page before.'),
})

export const batchPath = z.object({ batch_id: batchId.describe('The id of the batch.') })
