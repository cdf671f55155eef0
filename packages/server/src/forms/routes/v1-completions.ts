import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { answerOtherForm } from '../answer-other-form.ts'
import { parseCompletion } from '../completions/parse-completion.ts'
import type { FormRoutesDeps } from '../form-routes-deps.ts'

/** POST /v1/completions. The key is checked before the body is read. Source: decision 0124 (text completions). */
export function v1Completions(app: FastifyInstance, deps: FormRoutesDeps): void {
  const endpoint = endpoints.createCompletion
  app.post(endpoint.path, (request, reply) => answerOtherForm(deps, { request, reply }, endpoint, parseCompletion))
}
