import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { mountKeyed } from '../../edge/route.ts'
import type { FormRoutesDeps } from '../form-routes-deps.ts'
import { responseNotFound } from '../responses/response-not-found.ts'

/** GET and DELETE /v1/responses/{response_id}: of the responses that the key's team has stored. */
export function v1ResponsesResponseId(app: FastifyInstance, deps: FormRoutesDeps): void {
  mountKeyed(app, deps, endpoints.getResponse, async ({ request }, { teamId }) => {
    const { response_id: id } = parseBySchema(endpoints.getResponse.request.path, request.params)
    const stored = await deps.storedResponses.find(teamId, id)
    if (stored === null) throw responseNotFound()
    return stored.response
  })
  mountKeyed(app, deps, endpoints.deleteResponse, async ({ request }, { teamId }) => {
    const { response_id: id } = parseBySchema(endpoints.deleteResponse.request.path, request.params)
    if (!(await deps.storedResponses.remove(teamId, id))) throw responseNotFound()
    return { id, object: 'response', deleted: true }
  })
}
