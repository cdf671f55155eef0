import { z } from 'zod'
import { BATCH_LINES_MAX } from './batches.ts'
import { wholeNumber } from './whole-number.ts'

/** Most batches on one page, and how many come unasked. Source: Anthropic, "List Message Batches". */
export const MESSAGE_BATCH_PAGE_MAX = 1_000
export const MESSAGE_BATCH_PAGE_DEFAULT = 20

/** Requests in the form of the Messages API. What each asks for is judged when it is made. */
export const messageBatchRequest = z
  .looseObject({
    requests: z
      .array(
        z.looseObject({
          custom_id: z
            .string()
            .regex(/^[a-zA-Z0-9_-]{1,64}$/, 'expected 1 to 64 letters, digits, hyphens and underscores.'),
          params: z.looseObject({}).describe('The body of a request to `/v1/messages`, without `stream`.'),
        }),
      )
      .min(1)
      .max(BATCH_LINES_MAX),
  })
  .meta({ id: 'MessageBatchRequest' })

const time = z.iso.datetime()

export const messageBatchReply = z
  .looseObject({
    id: z.string(),
    type: z.literal('message_batch'),
    processing_status: z.enum(['in_progress', 'canceling', 'ended']),
    request_counts: z.looseObject({
      processing: z.int(),
      succeeded: z.int(),
      errored: z.int(),
      canceled: z.int(),
      expired: z.int(),
    }),
    created_at: time,
    expires_at: time,
    ended_at: time.nullable(),
    cancel_initiated_at: time.nullable(),
    archived_at: z.null(),
    results_url: z.string().nullable().describe('Where the results are; null until the batch has ended.'),
  })
  .meta({ id: 'MessageBatch' })

export type MessageBatchReply = z.output<typeof messageBatchReply>

export const messageBatchList = z
  .object({
    data: z.array(messageBatchReply),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: 'MessageBatchList' })

export type MessageBatchListReply = z.output<typeof messageBatchList>

const pageId = z.string().regex(/^msgbatch_[0-9a-f]{32}$/, 'expected the id of a batch of messages.')

export const messageBatchesQuery = z.object({
  limit: wholeNumber({ min: 1, max: MESSAGE_BATCH_PAGE_MAX }).prefault(MESSAGE_BATCH_PAGE_DEFAULT),
  after_id: pageId.optional().describe('Continue after this batch: with earlier ones.'),
  before_id: pageId.optional().describe('Continue before this batch: with later ones.'),
})

export const messageBatchPath = z.object({
  message_batch_id: z.string().min(1).max(64).describe('The id of the batch.'),
})

export const messageBatchDeleted = z
  .object({ id: z.string(), type: z.literal('message_batch_deleted') })
  .meta({ id: 'MessageBatchDeleted' })

export type MessageBatchDeletedReply = z.output<typeof messageBatchDeleted>
