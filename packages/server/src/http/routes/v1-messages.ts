import { endpoints } from '@svc/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { messageError } from '../../inference/messages/message-object.ts'
import { parseMessage } from '../../inference/messages/parse-message.ts'
import { beginOnce } from '../answer-once.ts'
import { answerTranslated } from '../answer-translated.ts'
import type { EdgeDeps } from '../edge.ts'
import { readJsonBody } from '../read-json-body.ts'
import { renderError } from '../render-error.ts'
import { admitCaller } from '../route.ts'

/** Clients of this form send their key in a header of its own. */
function takeKeyHeader({ headers }: FastifyRequest): void {
  const key = headers['x-api-key']
  if (headers.authorization === undefined && typeof key === 'string') headers.authorization = `Bearer ${key}`
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const rendered = renderError(error)
  request.facts.error = rendered.error
  void reply
    .code(rendered.status)
    .headers(rendered.headers)
    .type('application/json; charset=utf-8')
    .send({ ...messageError({ ...rendered.body.error }), request_id: request.id })
}

/** POST /v1/messages. The key is checked before the body is read. Source: decision 0037 (messages). */
export function v1Messages(app: FastifyInstance, deps: EdgeDeps): void {
  const endpoint = endpoints.createMessage
  app.post(endpoint.path, { errorHandler: sendError }, async (request, reply) => {
    takeKeyHeader(request)
    const call = { request, reply }
    const caller = await admitCaller(deps, call, endpoint, 'cached')
    const { body, release } = await readJsonBody(deps, call, {
      caller,
      type: 'chat',
      bytesMax: deps.limits.chatBodyBytes,
    })
    try {
      const chat = parseMessage(body)
      request.facts.model = chat.call.request.model
      const once = await beginOnce(deps, call, { caller, endpoint, body })
      if (once.kind === 'replay') return once.body
      return await answerTranslated(deps, call, { caller, chat, run: once.run })
    } finally {
      release()
    }
  })
}
