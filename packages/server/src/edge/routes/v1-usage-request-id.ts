import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { readUsage } from '../../money/billing/read-usage.ts'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import type { UsageRoutesDeps } from '../routes-deps.ts'
import { mountKeyed } from '../route.ts'

/** GET /v1/usage/{request_id}. Answers what became of a request, also after a hang-up. */
export function v1UsageRequestId(app: FastifyInstance, deps: UsageRoutesDeps): void {
  mountKeyed(app, deps, endpoints.getUsage, ({ request }, caller) => {
    const { request_id: requestId } = parseBySchema(endpoints.getUsage.request.path, request.params)
    return readUsage(deps.usage, caller, requestId)
  })
}
