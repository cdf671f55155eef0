import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { mountKeyed } from '../../edge/route.ts'
import { renderBatch } from '../batch.ts'
import type { BatchRoutesDeps } from '../batch-deps.ts'
import { cancelBatch, namedBatch } from '../manage-batches.ts'

/** POST /v1/batches/{batch_id}/cancel. */
export function v1BatchesBatchIdCancel(app: FastifyInstance, deps: BatchRoutesDeps): void {
  mountKeyed(app, deps, endpoints.cancelBatch, async ({ request }, caller) => {
    const { batch_id: batchId } = parseBySchema(endpoints.cancelBatch.request.path, request.params)
    return renderBatch(await cancelBatch(deps.batches, caller, namedBatch(batchId)))
  })
}
