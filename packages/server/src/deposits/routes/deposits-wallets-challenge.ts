import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { giveWalletChallenge } from '../manage-wallets.ts'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { admitLinking, linkerOf } from './admit-linking.ts'
import type { DepositRoutesDeps } from './deposit-routes-deps.ts'
import { readObjectBody } from '../../edge/read-object-body.ts'
import { mountKeyed } from '../../edge/route.ts'

/** POST /deposits/wallets/challenge. */
export function depositsWalletsChallenge(app: FastifyInstance, deps: DepositRoutesDeps): void {
  mountKeyed(app, deps, endpoints.challengeWallet, async (call, admitted) => {
    await admitLinking(deps, admitted)
    const { caller, value } = await readObjectBody(deps, call, endpoints.challengeWallet)
    const body = parseBySchema(endpoints.challengeWallet.request.body, value)
    return giveWalletChallenge(deps.deposits.wallets, linkerOf(caller), body)
  })
}
