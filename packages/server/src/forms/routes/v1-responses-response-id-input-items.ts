import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { mountKeyed } from '../../edge/route.ts'
import type { FormRoutesDeps } from '../form-routes-deps.ts'
import { responseNotFound } from '../responses/response-not-found.ts'
import { pageOfInput } from '../responses/stored-turns.ts'

/** GET /v1/responses/{response_id}/input_items. */
export function v1ResponsesResponseIdInputItems(app: FastifyInstance, deps: FormRoutesDeps): void {
  const endpoint = endpoints.listResponseInputItems
  mountKeyed(app, deps, endpoint, async ({ request }, { teamId }) => {
    const { response_id: id } = parseBySchema(endpoint.request.path, request.params)
    const query = parseBySchema(endpoint.request.query, request.query)
    const stored = await deps.storedResponses.find(teamId, id)
    if (stored === null) throw responseNotFound()
    return pageOfInput(id, stored, query)
  })
}
