import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { listUsage } from '../../money/billing/read-usage.ts'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import type { UsageRoutesDeps } from '../routes-deps.ts'
import { mountKeyed } from '../route.ts'

/** GET /v1/usage. Source: spec 2.13, 4. */
export function v1Usage(app: FastifyInstance, deps: UsageRoutesDeps): void {
  mountKeyed(app, deps, endpoints.listUsage, ({ request }, caller) =>
    listUsage(deps.usage, caller, parseBySchema(endpoints.listUsage.request.query, request.query)),
  )
}
