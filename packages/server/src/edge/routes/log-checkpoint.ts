import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { type LogRoutesDeps, mountLog } from '../log-routes.ts'

/** GET /log/checkpoint. The last signed checkpoint of the ledger log. */
export function logCheckpoint(app: FastifyInstance, deps: LogRoutesDeps): void {
  mountLog(app, deps, endpoints.getLogCheckpoint, async ({ reply }) => {
    const published = await deps.ledgerLog.log.published()
    if (published === null) {
      throw new ServiceError('server_is_overloaded', 'The ledger log gives out nothing at the moment.')
    }
    reply.type('text/plain; charset=utf-8').header('cache-control', 'no-cache')
    return published.note
  })
}
