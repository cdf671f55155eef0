import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { linkSignedWallet, listWallets } from '../manage-wallets.ts'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { admitLinking, linkerOf } from './admit-linking.ts'
import type { DepositRoutesDeps } from './deposit-routes-deps.ts'
import { readObjectBody } from '../../edge/read-object-body.ts'
import { mountKeyed } from '../../edge/route.ts'

/** GET and POST /deposits/wallets. */
export function depositsWallets(app: FastifyInstance, deps: DepositRoutesDeps): void {
  mountKeyed(app, deps, endpoints.listWallets, (_call, caller) => listWallets(deps.deposits.wallets, caller.accountId))
  mountKeyed(app, deps, endpoints.linkWallet, async (call, admitted) => {
    await admitLinking(deps, admitted)
    const { caller, value } = await readObjectBody(deps, call, endpoints.linkWallet)
    const body = parseBySchema(endpoints.linkWallet.request.body, value)
    return linkSignedWallet(deps.deposits.wallets, linkerOf(caller), body)
  })
}
