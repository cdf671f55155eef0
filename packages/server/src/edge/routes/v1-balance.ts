import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { readBalance } from '../../money/billing/read-balance.ts'
import type { RouteKit } from '../route-kit.ts'
import { mountKeyed } from '../route.ts'

/** GET /v1/balance. Source: spec 4. */
export function v1Balance(app: FastifyInstance, deps: RouteKit): void {
  mountKeyed(app, deps, endpoints.getBalance, (_call, caller) => readBalance(deps.balance, caller))
}
