import { consoleEndpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { readAccountLimits } from '../access/keys/account-limits.ts'
import { renderLimits } from './render-limits.ts'
import { type ConsoleEdge, mountSession } from './session-route.ts'

/** Mounts the route that returns how often a team's keys may ask. */
export function mountTeamLimits(app: FastifyInstance, parts: ConsoleEdge): void {
  mountSession(app, parts, consoleEndpoints.getTeamLimits, async ({ membership }) =>
    renderLimits((await readAccountLimits(parts.console.limits, membership.accountId)).inForce),
  )
}
