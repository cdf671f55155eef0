import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { HealthRoutesDeps } from '../routes-deps.ts'
import { mountPublic } from '../route.ts'

/** GET /health. 503 when no upstream or the database cannot be reached, so that a load balancer looks elsewhere. Source: spec 4. */
export function health(app: FastifyInstance, deps: HealthRoutesDeps): void {
  mountPublic(app, deps, endpoints.getHealth, async ({ reply }) => {
    const state = await deps.readHealth()
    reply.code(state.status === 'down' ? 503 : 200).header('cache-control', 'no-store')
    return state
  })
}
