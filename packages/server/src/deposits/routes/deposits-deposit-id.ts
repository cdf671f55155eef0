import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { depositNotFound } from '../claim-deposit.ts'
import { getDeposit } from '../read-deposits.ts'
import type { DepositRoutesDeps } from './deposit-routes-deps.ts'
import { mountKeyed } from '../../edge/route.ts'

/** GET /deposits/{deposit_id}. What has not the form of an id is the id of no deposit. */
export function depositsDepositId(app: FastifyInstance, deps: DepositRoutesDeps): void {
  mountKeyed(app, deps, endpoints.getDeposit, ({ request }, caller) => {
    const path = endpoints.getDeposit.request.path.safeParse(request.params)
    if (!path.success) throw depositNotFound()
    return getDeposit(deps.deposits.claims, caller.accountId, path.data.deposit_id)
  })
}
