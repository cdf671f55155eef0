/** The routes by which an owner takes away all that is stored about the account of a team, and ends it. */
import { consoleEndpoints, creditsJson, type TeamPermission } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { Operator } from '../access/operators/journal.ts'
import type { Membership } from '../access/teams/membership.ts'
import { rolesWith } from '../access/teams/permissions.ts'
import { eraseAccount, type EraseResult, whyNotErased } from '../operations/actions/erase-account.ts'
import { exportAccount } from '../operations/actions/export-account.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import { requireOwnPage, sendExport } from './send-export.ts'
import { type ConsoleEdge, mountSession } from './session-route.ts'

/** Who acts in the journal: an owner is no operator, and entries outlive an erasure. */
const OWNER: Operator = { operatorId: null, name: 'an owner of the account', way: 'console' }
const REASON = 'An owner asked for it in the console'
const NEEDED: TeamPermission = 'account:data'

/** @throws {ServiceError} `role_denied` where a team of the account is another owner's. */
async function requireOwnerOfAllTeams({ edge }: ConsoleEdge, { accountId }: Membership, userId: string): Promise<void> {
  if (await edge.operators.erasing.store.ownsAll(accountId, userId)) return
  throw new ServiceError('role_denied', 'This account has teams that you do not own. Ask the operator of the gateway.')
}

/** @throws {ServiceError} unless it was erased. */
function requireErased(result: EraseResult): void {
  if (result.kind === 'in_use') throw new ServiceError('account_in_use', whyNotErased(result) ?? '')
  if (result.kind === 'has_credits') {
    const details = { credits: creditsJson(result.posted) }
    throw new ServiceError('credits_left', `${whyNotErased(result)} Set forfeits_credits to true to give them up.`, {
      param: 'forfeits_credits',
      details,
    })
  }
  if (result.kind === 'role_lost' || result.kind === 'unknown_account') {
    throw new ServiceError('role_denied', 'Your role in this team may not do this any more.')
  }
}

export function mountTeamData(app: FastifyInstance, parts: ConsoleEdge): void {
  const { operators: services } = parts.edge
  mountSession(app, parts, consoleEndpoints.exportTeamAccount, async ({ session, membership, request, reply }) => {
    requireOwnPage(request.headers)
    await requireOwnerOfAllTeams(parts, membership, session.user.userId)
    const { accountId } = membership
    return sendExport(parts.edge, reply, {
      accountId,
      open: () => exportAccount(services, OWNER, { accountId, reason: REASON }),
    })
  })
  mountSession(app, parts, consoleEndpoints.eraseTeamAccount, async ({ session, membership, body }) => {
    const { userId } = session.user
    await requireOwnerOfAllTeams(parts, membership, userId)
    if (body.team_name !== membership.name) {
      throw new ServiceError('invalid_value', 'This is not the name of the team.', { param: 'team_name' })
    }
    const member = { teamId: membership.teamId, userId, roles: rolesWith(NEEDED) }
    const { accountId } = membership
    const erasure = { accountId, reason: REASON, forfeitsCredits: body.forfeits_credits, member }
    requireErased(await eraseAccount(services.erasing, OWNER, erasure))
    return { done: true }
  })
}
