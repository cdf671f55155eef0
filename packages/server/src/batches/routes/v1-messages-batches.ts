import { endpoints, type MessageBatchListReply, type Printed } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { requireStanding } from '../../uploads/require-standing.ts'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { readJsonBody } from '../../edge/read-json-body.ts'
import { mountKeyed } from '../../edge/route.ts'
import { answerNewBatch } from '../answer-new-batch.ts'
import type { BatchRoutesDeps } from '../batch-deps.ts'
import { namedLines } from '../named-lines.ts'
import { inMessageForm } from '../in-message-form.ts'
import { batchOfMessages, renderMessageBatch } from '../message-batch.ts'
import { readMessageLines, startMessageBatch } from '../start-message-batch.ts'

/** POST and GET /v1/messages/batches. Source: Anthropic, "Message Batches"; decision 0136. */
export function v1MessagesBatches(app: FastifyInstance, deps: BatchRoutesDeps): void {
  const endpoint = endpoints.createMessageBatch
  inMessageForm(app, (scope) => {
    mountKeyed(scope, deps, endpoint, async (call, known) => {
      const paid = { caller: known, endpoint, type: 'chat', bytesMax: deps.limits.configured.chatBodyBytes } as const
      const { caller, body, release } = await readJsonBody(deps, call, paid)
      try {
        const asked = readMessageLines(body)
        const start = async () => {
          // Decides nothing: each request is held for when it is made.
          await requireStanding(deps, caller)
          const batch = await startMessageBatch(deps.batches, caller, { ...namedLines(call), asked })
          return renderMessageBatch(batch, deps.publicBaseUrl())
        }
        return await answerNewBatch(deps, call, { caller, endpoint, body, start })
      } finally {
        release()
      }
    })
    mountKeyed(
      scope,
      deps,
      endpoints.listMessageBatches,
      async (call, caller): Promise<Printed<MessageBatchListReply>> => {
        const query = parseBySchema(endpoints.listMessageBatches.request.query, call.request.query)
        const { limit, after_id: after, before_id: before } = query
        const idOf = (id: string | undefined) => (id === undefined ? null : batchOfMessages(id).batchId)
        call.reply.header('cache-control', 'no-store')
        const page = { ofMessages: true, after: idOf(after), before: idOf(before), limit: limit + 1 }
        const found = await deps.batches.store.list(caller.accountId, page)
        // The one too many is farthest from where the page begins.
        const shown = before === undefined ? found.slice(0, limit) : found.slice(-limit)
        const data = shown.map((batch) => renderMessageBatch(batch, deps.publicBaseUrl()))
        return {
          data,
          first_id: data[0]?.id ?? null,
          last_id: data.at(-1)?.id ?? null,
          has_more: found.length > limit,
        }
      },
    )
  })
}
