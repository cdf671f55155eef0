import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { listDeposits } from '../read-deposits.ts'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import type { DepositRoutesDeps } from './deposit-routes-deps.ts'
import { mountKeyed } from '../../edge/route.ts'

/** GET /deposits. */
export function deposits(app: FastifyInstance, deps: DepositRoutesDeps): void {
  mountKeyed(app, deps, endpoints.listDeposits, ({ request }, caller) =>
    listDeposits(
      deps.deposits.claims,
      caller.accountId,
      parseBySchema(endpoints.listDeposits.request.query, request.query),
    ),
  )
}
