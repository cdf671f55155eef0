import { endpoints, type MessageBatchDeletedReply } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { mountKeyed } from '../../edge/route.ts'
import type { BatchRoutesDeps } from '../batch-deps.ts'
import { deleteBatch } from '../delete-batch.ts'
import { inMessageForm } from '../in-message-form.ts'
import { findBatch } from '../manage-batches.ts'
import { batchOfMessages, renderMessageBatch } from '../message-batch.ts'

/** GET and DELETE /v1/messages/batches/{message_batch_id}. */
export function v1MessagesBatchesMessageBatchId(app: FastifyInstance, deps: BatchRoutesDeps): void {
  inMessageForm(app, (scope) => {
    mountKeyed(scope, deps, endpoints.getMessageBatch, async ({ request, reply }, caller) => {
      const { message_batch_id: id } = parseBySchema(endpoints.getMessageBatch.request.path, request.params)
      reply.header('cache-control', 'no-store')
      return renderMessageBatch(await findBatch(deps.batches, caller, batchOfMessages(id)), deps.publicBaseUrl())
    })
    mountKeyed(
      scope,
      deps,
      endpoints.deleteMessageBatch,
      async ({ request }, caller): Promise<MessageBatchDeletedReply> => {
        const { message_batch_id: id } = parseBySchema(endpoints.deleteMessageBatch.request.path, request.params)
        await deleteBatch(deps.batches, await findBatch(deps.batches, caller, batchOfMessages(id)))
        return { id, type: 'message_batch_deleted' }
      },
    )
  })
}
