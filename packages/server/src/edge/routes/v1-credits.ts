import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { readOpenRouterCredits } from '../../money/billing/read-openrouter-account.ts'
import type { RouteKit } from '../route-kit.ts'
import { mountKeyed } from '../route.ts'

/** GET /v1/credits, as OpenRouter has it. Source: decision 0129. */
export function v1Credits(app: FastifyInstance, deps: RouteKit): void {
  mountKeyed(app, deps, endpoints.getCredits, (_call, caller) => readOpenRouterCredits(deps.balance, caller))
}
