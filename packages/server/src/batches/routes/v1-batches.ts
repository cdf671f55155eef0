import { type BatchListReply, endpoints, type Printed } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { requireStanding } from '../../uploads/require-standing.ts'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { readObjectBody } from '../../edge/read-object-body.ts'
import { mountKeyed } from '../../edge/route.ts'
import { answerNewBatch } from '../answer-new-batch.ts'
import { renderBatch } from '../batch.ts'
import type { BatchRoutesDeps } from '../batch-deps.ts'
import { namedLines } from '../named-lines.ts'
import { startBatch } from '../manage-batches.ts'

/** POST and GET /v1/batches. Source: OpenAI's API reference, "Batch"; decision 0135. */
export function v1Batches(app: FastifyInstance, deps: BatchRoutesDeps): void {
  const endpoint = endpoints.createBatch
  mountKeyed(app, deps, endpoint, async (call) => {
    const { caller, value, text: body } = await readObjectBody(deps, call, endpoint)
    const request = parseBySchema(endpoint.request.body, value)
    const start = async () => {
      // Decides nothing: each line is held for when it is made.
      await requireStanding(deps, caller)
      return renderBatch(await startBatch(deps.batches, caller, { ...namedLines(call), request }))
    }
    return answerNewBatch(deps, call, { caller, endpoint, body, start })
  })
  mountKeyed(app, deps, endpoints.listBatches, async (call, caller): Promise<Printed<BatchListReply>> => {
    const { limit, after = null } = parseBySchema(endpoints.listBatches.request.query, call.request.query)
    call.reply.header('cache-control', 'no-store')
    const found = await deps.batches.store.list(caller.accountId, { ofMessages: false, after, limit: limit + 1 })
    const data = found.slice(0, limit).map(renderBatch)
    return {
      object: 'list',
      data,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: found.length > limit,
    }
  })
}
