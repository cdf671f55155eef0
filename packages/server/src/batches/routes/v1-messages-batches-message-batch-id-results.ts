import { Readable } from 'node:stream'
import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { mountKeyed } from '../../edge/route.ts'
import { READER_STALL_MS } from '../../edge/sse-writer.ts'
import type { BatchRoutesDeps } from '../batch-deps.ts'
import { notEnded } from '../delete-batch.ts'
import { inMessageForm } from '../in-message-form.ts'
import { findBatch } from '../manage-batches.ts'
import { batchOfMessages } from '../message-batch.ts'
import { findMessageResults } from '../message-results.ts'

/** GET /v1/messages/batches/{message_batch_id}/results. */
export function v1MessagesBatchesMessageBatchIdResults(app: FastifyInstance, deps: BatchRoutesDeps): void {
  const endpoint = endpoints.getMessageBatchResults
  inMessageForm(app, (scope) =>
    mountKeyed(scope, deps, endpoint, async ({ request, reply }, caller) => {
      const { message_batch_id: id } = parseBySchema(endpoint.request.path, request.params)
      const batch = await findBatch(deps.batches, caller, batchOfMessages(id))
      if (batch.endedAt === null) throw notEnded()
      const results = await findMessageResults(deps.batches, batch)
      // A reader that takes nothing holds files open; the time begins anew whenever it takes some.
      reply.raw.setTimeout(READER_STALL_MS, () => reply.raw.destroy())
      reply.header('cache-control', 'no-store').type('application/x-jsonl')
      return reply.send(Readable.from(results, { objectMode: false }))
    }),
  )
}
