import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { parseMessage } from '../messages/parse-message.ts'
import { answerOtherForm } from '../answer-other-form.ts'
import type { FormRoutesDeps } from '../form-routes-deps.ts'
import { sendMessageError, takeKeyHeader } from '../message-form.ts'

/** POST /v1/messages. The key is checked before the body is read. Source: decision 0037 (messages). */
export function v1Messages(app: FastifyInstance, deps: FormRoutesDeps): void {
  const endpoint = endpoints.createMessage
  app.post(endpoint.path, { errorHandler: sendMessageError }, (request, reply) => {
    takeKeyHeader(request)
    return answerOtherForm(deps, { request, reply }, endpoint, parseMessage)
  })
}
