import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { answerCount } from '../answer-count.ts'
import { parseMessageCount } from '../messages/parse-message.ts'
import type { ChatRoutesDeps } from '../../modalities/chat/chat-routes-deps.ts'
import { sendMessageError, takeKeyHeader } from '../message-form.ts'

/** POST /v1/messages/count_tokens. Free. Source: decision 0037 (messages). */
export function v1MessagesCountTokens(app: FastifyInstance, deps: ChatRoutesDeps): void {
  const endpoint = endpoints.countMessageTokens
  app.post(endpoint.path, { errorHandler: sendMessageError }, async (request, reply) => {
    takeKeyHeader(request)
    const { tokens, isEstimated } = await answerCount(deps, { request, reply }, endpoint, parseMessageCount)
    return { input_tokens: tokens, svc: { estimated: isEstimated } }
  })
}
