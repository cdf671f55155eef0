/** The routes about a team's deposits. They call what the endpoints with a key call. */
import { consoleEndpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { claimDeposit } from '../deposits/claim-deposit.ts'
import { showDepositPlaces } from '../deposits/deposit-places.ts'
import type { Linker } from '../deposits/link-wallet.ts'
import { giveWalletChallenge, linkSignedWallet, listWallets, unlinkWallet } from '../deposits/manage-wallets.ts'
import { findOwnDeposit } from '../deposits/read-deposits.ts'
import { getTeamDeposit, listTeamDeposits } from '../deposits/read-team-deposits.ts'
import { sendReceiptOf } from '../deposits/send-receipt.ts'
import type { Session } from '../access/sign-in/sign-in.ts'
import type { Membership } from '../access/teams/membership.ts'
import { quotaError } from '../admission/limits/call-quota.ts'
import type { RouteKit } from '../edge/route-kit.ts'
import { type ConsoleEdge, mountSession } from './session-route.ts'

/** One person's calls count together, whatever browser they come from; a key's are counted by themselves. */
const callerOf = ({ user }: Session): string => `user:${user.userId}`

/** @throws {ServiceError} `claim_rate_limited`. */
async function admitClaim({ limits }: RouteKit, session: Session): Promise<void> {
  const refusal = await limits.claims.take(callerOf(session))
  if (refusal !== null) throw quotaError(refusal, 'claims of this user', 'claim_rate_limited')
}

/** @throws {ServiceError} `rate_limit_exceeded`. */
async function admitWallet({ limits }: RouteKit, session: Session): Promise<void> {
  const refusal = await limits.wallets.take(callerOf(session))
  if (refusal !== null) throw quotaError(refusal, 'calls about wallets of this user')
}

/** A message that one session was given is worth nothing from another. */
function linkerOf({ accountId }: Membership, { sessionId }: Session): Linker {
  return { accountId, session: `session:${sessionId}` }
}

export function mountTeamFunding(app: FastifyInstance, parts: ConsoleEdge): void {
  const { deposits } = parts.edge
  mountSession(app, parts, consoleEndpoints.getTeamDepositAddress, async ({ membership }) => ({
    ...(await showDepositPlaces(deposits.places, membership.accountId)),
    mails_receipts: deposits.receipts.outbox !== null,
  }))
  mountSession(app, parts, consoleEndpoints.listTeamPrices, async () => ({ data: await deposits.prices.read() }))
  mountSession(app, parts, consoleEndpoints.claimTeamDeposit, async ({ membership, session, reply, body: claim }) => {
    await admitClaim(parts.edge, session)
    const { body, retryAfterSeconds } = await claimDeposit(deposits.claims, membership.accountId, claim)
    if (retryAfterSeconds !== null) reply.header('retry-after', retryAfterSeconds)
    return body
  })
  mountSession(app, parts, consoleEndpoints.listTeamDeposits, ({ membership, query }) =>
    listTeamDeposits(deposits.claims, membership.accountId, query),
  )
  mountSession(app, parts, consoleEndpoints.getTeamDeposit, ({ membership, path }) =>
    getTeamDeposit(deposits.claims, membership.accountId, path.deposit_id),
  )
  mountSession(app, parts, consoleEndpoints.sendTeamReceipt, async ({ membership, path, body }) => {
    const deposit = await findOwnDeposit(deposits.claims, membership.accountId, path.deposit_id)
    return sendReceiptOf(deposits.receipts, deposit, { teamId: membership.teamId, email: body.email })
  })
  mountTeamWallets(app, parts)
}

function mountTeamWallets(app: FastifyInstance, parts: ConsoleEdge): void {
  const { deposits, clock } = parts.edge
  mountSession(app, parts, consoleEndpoints.listTeamWallets, ({ membership }) =>
    listWallets(deposits.wallets, membership.accountId),
  )
  mountSession(app, parts, consoleEndpoints.challengeTeamWallet, async ({ membership, session, body }) => {
    await admitWallet(parts.edge, session)
    return giveWalletChallenge(deposits.wallets, linkerOf(membership, session), body)
  })
  mountSession(app, parts, consoleEndpoints.linkTeamWallet, async ({ membership, session, body }) => {
    await admitWallet(parts.edge, session)
    return linkSignedWallet(deposits.wallets, linkerOf(membership, session), body)
  })
  mountSession(app, parts, consoleEndpoints.unlinkTeamWallet, ({ membership, path }) =>
    unlinkWallet(deposits.wallets, membership.accountId, { walletId: path.wallet_id, now: clock.now() }),
  )
}
