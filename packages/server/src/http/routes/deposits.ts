import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { listDeposits } from '../../deposits/read-deposits.ts'
import { parseBySchema } from '../../errors/parse-by-schema.ts'
import type { DepositRoutesDeps } from '../deposit-routes-deps.ts'
import { mountKeyed } from '../route.ts'

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
