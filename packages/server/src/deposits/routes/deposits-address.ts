import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { showDepositPlaces } from '../deposit-places.ts'
import type { DepositRoutesDeps } from './deposit-routes-deps.ts'
import { mountKeyed } from '../../edge/route.ts'

/** GET /deposits/address. */
export function depositsAddress(app: FastifyInstance, deps: DepositRoutesDeps): void {
  mountKeyed(app, deps, endpoints.getDepositAddress, (_call, caller) =>
    showDepositPlaces(deps.deposits.places, caller.accountId),
  )
}
