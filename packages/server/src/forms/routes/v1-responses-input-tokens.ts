import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { answerCount } from '../answer-count.ts'
import type { FormRoutesDeps } from '../form-routes-deps.ts'
import { findReferred } from '../responses/find-referred.ts'
import { parseResponse } from '../responses/parse-response.ts'

/** POST /v1/responses/input_tokens. Free. Source: decision 0121 (fields and tools that are served). */
export function v1ResponsesInputTokens(app: FastifyInstance, deps: FormRoutesDeps): void {
  const endpoint = endpoints.countResponseTokens
  app.post(endpoint.path, async (request, reply) => {
    const counted = await answerCount(deps, { request, reply }, endpoint, async (body, caller) => {
      const response = parseResponse(body, caller)
      const { call: chat } = await response.translate(await findReferred(deps, caller, response))
      return chat
    })
    return {
      object: 'response.input_tokens',
      input_tokens: counted.tokens,
      svc: { estimated: counted.isEstimated },
    }
  })
}
