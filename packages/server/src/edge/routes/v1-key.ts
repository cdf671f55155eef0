import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { readOpenRouterKey } from '../../money/billing/read-openrouter-account.ts'
import { mountKeyed } from '../route.ts'
import type { UsageRoutesDeps } from '../routes-deps.ts'

/** GET /v1/key, as OpenRouter has it. Source: decision 0129. */
export function v1Key(app: FastifyInstance, deps: UsageRoutesDeps): void {
  mountKeyed(app, deps, endpoints.getCurrentKey, (_call, caller) => readOpenRouterKey(deps, caller))
}
