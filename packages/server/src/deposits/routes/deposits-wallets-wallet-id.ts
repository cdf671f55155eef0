import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { unlinkWallet, walletNotFound } from '../manage-wallets.ts'
import type { DepositRoutesDeps } from './deposit-routes-deps.ts'
import { mountKeyed } from '../../edge/route.ts'

/** DELETE /deposits/wallets/{wallet_id}. What has not the form of an id is the id of no wallet. */
export function depositsWalletsWalletId(app: FastifyInstance, deps: DepositRoutesDeps): void {
  mountKeyed(app, deps, endpoints.unlinkWallet, ({ request }, caller) => {
    const path = endpoints.unlinkWallet.request.path.safeParse(request.params)
    if (!path.success) throw walletNotFound()
    const unlinked = { walletId: path.data.wallet_id, now: deps.clock.now() }
    return unlinkWallet(deps.deposits.wallets, caller.accountId, unlinked)
  })
}
