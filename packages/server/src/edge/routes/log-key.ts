import { endpoints } from '@svc/contract'
import { formatVerifierKey } from '@svc/contract/log/signed-note'
import type { FastifyInstance } from 'fastify'
import { type LogRoutesDeps, mountLog } from '../log-routes.ts'

/** GET /log/key. The keys that may sign the ledger log, the present one first. */
export function logKey(app: FastifyInstance, deps: LogRoutesDeps): void {
  mountLog(app, deps, endpoints.getLogKey, async ({ reply }) => {
    const keys = await deps.ledgerLog.log.keys()
    reply.type('text/plain; charset=utf-8').header('cache-control', 'no-cache')
    return keys.map((key) => `${formatVerifierKey(key)}\n`).join('')
  })
}
