/** The routes about limits of the whole gateway that operators set while it runs. */
import { consoleEndpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { changeGatewayLimit, requireLimitChange } from '../operations/actions/change-gateway-limits.ts'
import { operatorOf, secondsOf } from './operator-of.ts'
import { type ConsoleEdge, mountSession } from './session-route.ts'

export function mountOperatorLimits(app: FastifyInstance, parts: ConsoleEdge): void {
  const services = parts.edge.operators
  const { gatewayLimits } = services
  mountSession(app, parts, consoleEndpoints.getGatewayLimits, async () => {
    const { data, problems } = await gatewayLimits.list()
    return { data: data.map((limit) => ({ ...limit, at: secondsOf(limit.at) })), problems }
  })
  mountSession(app, parts, consoleEndpoints.previewGatewayLimit, ({ body: { change } }) => {
    requireLimitChange(gatewayLimits, change)
    return gatewayLimits.preview(change)
  })
  mountSession(app, parts, consoleEndpoints.changeGatewayLimit, async ({ session, body }) => {
    await changeGatewayLimit(services, operatorOf(session), body)
    return { done: true }
  })
}
