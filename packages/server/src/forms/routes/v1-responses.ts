import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { readResponse } from '../responses/read-response.ts'
import { answerOtherForm } from '../answer-other-form.ts'
import type { FormRoutesDeps } from '../form-routes-deps.ts'

/** POST /v1/responses. The key is checked before the body is read. Source: decision 0036 (other forms of a chat). */
export function v1Responses(app: FastifyInstance, deps: FormRoutesDeps): void {
  const endpoint = endpoints.createResponse
  app.post(endpoint.path, (request, reply) =>
    answerOtherForm(deps, { request, reply }, endpoint, (body, caller) => readResponse(deps, body, caller)),
  )
}
