import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { parseResponse } from '../../inference/responses/parse-response.ts'
import { beginOnce } from '../answer-once.ts'
import { answerTranslated } from '../answer-translated.ts'
import type { EdgeDeps } from '../edge.ts'
import { readJsonBody } from '../read-json-body.ts'
import { admitCaller } from '../route.ts'

/** POST /v1/responses. The key is checked before the body is read. Source: decision 0036 (other forms of a chat). */
export function v1Responses(app: FastifyInstance, deps: EdgeDeps): void {
  const endpoint = endpoints.createResponse
  app.post(endpoint.path, async (request, reply) => {
    const call = { request, reply }
    const caller = await admitCaller(deps, call, endpoint, 'cached')
    const { body, release } = await readJsonBody(deps, call, {
      caller,
      type: 'chat',
      bytesMax: deps.limits.chatBodyBytes,
    })
    try {
      const chat = parseResponse(body)
      request.facts.model = chat.call.request.model
      const once = await beginOnce(deps, call, { caller, endpoint, body })
      if (once.kind === 'replay') return once.body
      return await answerTranslated(deps, call, { caller, chat, run: once.run })
    } finally {
      release()
    }
  })
}
