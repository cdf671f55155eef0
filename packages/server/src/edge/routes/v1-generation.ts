import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { readOpenRouterGeneration } from '../../money/billing/read-openrouter-account.ts'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { mountKeyed } from '../route.ts'
import type { UsageRoutesDeps } from '../routes-deps.ts'

/** GET /v1/generation, as OpenRouter has it. Source: decision 0129. */
export function v1Generation(app: FastifyInstance, deps: UsageRoutesDeps): void {
  mountKeyed(app, deps, endpoints.getGeneration, ({ request }, caller) => {
    const { id } = parseBySchema(endpoints.getGeneration.request.query, request.query)
    return readOpenRouterGeneration(deps.usage, caller, id)
  })
}
