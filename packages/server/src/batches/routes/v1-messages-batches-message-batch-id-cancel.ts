import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { mountKeyed } from '../../edge/route.ts'
import type { BatchRoutesDeps } from '../batch-deps.ts'
import { inMessageForm } from '../in-message-form.ts'
import { cancelBatch } from '../manage-batches.ts'
import { batchOfMessages, renderMessageBatch } from '../message-batch.ts'

/** POST /v1/messages/batches/{message_batch_id}/cancel. */
export function v1MessagesBatchesMessageBatchIdCancel(app: FastifyInstance, deps: BatchRoutesDeps): void {
  const endpoint = endpoints.cancelMessageBatch
  inMessageForm(app, (scope) =>
    mountKeyed(scope, deps, endpoint, async ({ request }, caller) => {
      const { message_batch_id: id } = parseBySchema(endpoint.request.path, request.params)
      return renderMessageBatch(await cancelBatch(deps.batches, caller, batchOfMessages(id)), deps.publicBaseUrl())
    }),
  )
}
