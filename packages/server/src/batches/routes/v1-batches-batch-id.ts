import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { mountKeyed } from '../../edge/route.ts'
import { renderBatch } from '../batch.ts'
import type { BatchRoutesDeps } from '../batch-deps.ts'
import { findBatch, namedBatch } from '../manage-batches.ts'

/** GET /v1/batches/{batch_id}. */
export function v1BatchesBatchId(app: FastifyInstance, deps: BatchRoutesDeps): void {
  mountKeyed(app, deps, endpoints.getBatch, async ({ request, reply }, caller) => {
    const { batch_id: batchId } = parseBySchema(endpoints.getBatch.request.path, request.params)
    reply.header('cache-control', 'no-store')
    return renderBatch(await findBatch(deps.batches, caller, namedBatch(batchId)))
  })
}
