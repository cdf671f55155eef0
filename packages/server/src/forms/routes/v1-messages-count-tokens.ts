import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { countMessageTokens } from '../messages/count-message-tokens.ts'
import { parseMessageCount } from '../messages/parse-message.ts'
import type { ChatRoutesDeps } from '../../modalities/chat/chat-routes-deps.ts'
import { sendMessageError, takeKeyHeader } from '../message-form.ts'
import { requireActive } from '../../money/billing/require-active.ts'
import { countStructure } from '../../pipeline/json-call.ts'
import { checkContentType } from '../../edge/read-json-body.ts'
import { readAsCaller } from '../../edge/read-as-caller.ts'
import { readBody } from '../../edge/read-body.ts'
import { admitCaller } from '../../edge/route.ts'

/** POST /v1/messages/count_tokens. Free, so that no hold asks for the key: its row is read. Counted by the rate limits. Source: decision 0037 (messages). */
export function v1MessagesCountTokens(app: FastifyInstance, deps: ChatRoutesDeps): void {
  const endpoint = endpoints.countMessageTokens
  app.post(endpoint.path, { errorHandler: sendMessageError }, async (request, reply) => {
    takeKeyHeader(request)
    const call = { request, reply }
    await admitCaller(deps, call, endpoint, 'cached')
    checkContentType(call)
    const limits = { bytesMax: deps.limits.chatBodyBytes, budget: deps.limits.bodies }
    const { caller, body: read } = await readAsCaller(
      deps,
      call,
      { endpoint, known: null },
      { read: () => readBody(request.raw, limits), drop: (dropped) => dropped.release() },
    )
    const { body, release } = read
    try {
      await requireActive(deps.balance.store, caller)
      const chat = parseMessageCount(countStructure(body).text)
      request.facts.model = chat.request.model
      const { tokens, isEstimated } = await countMessageTokens(deps.chat, caller, chat)
      return { input_tokens: tokens, svc: { estimated: isEstimated } }
    } finally {
      release()
    }
  })
}
