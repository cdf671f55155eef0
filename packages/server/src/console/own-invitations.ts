/** The routes about invitations, as those see them whom they are for. */
import { consoleEndpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { parseBySchema } from '../platform/errors/parse-by-schema.ts'
import {
  acceptByToken,
  acceptOwn,
  declineOwn,
  findInvitation,
  type Invitation,
  listOwn,
} from '../access/teams/invitations.ts'
import { callerAddress } from '../edge/caller-address.ts'
import { type ConsoleEdge, mountSession, readJson, requireOwnOrigin } from './session-route.ts'

const renderOwn = (invitation: Invitation) => ({
  id: invitation.invitationId,
  team_name: invitation.teamName,
  role: invitation.role,
  invited_by: invitation.inviterName ?? '',
  expires_at: Math.floor(invitation.expiresAt / 1_000),
})

export function mountOwnInvitations(app: FastifyInstance, parts: ConsoleEdge): void {
  const { invitations, mayJoin } = parts.console.people
  mountView(app, parts)
  mountSession(app, parts, consoleEndpoints.acceptInvitation, async ({ session, body }) => {
    const { teamId } = await acceptByToken(invitations, body.token, session.user.userId)
    return { team_id: teamId }
  })
  mountSession(app, parts, consoleEndpoints.listOwnInvitations, async ({ session }) => ({
    data: (await listOwn(invitations, session.user)).map(renderOwn),
  }))
  mountSession(app, parts, consoleEndpoints.acceptOwnInvitation, async ({ session, path }) => {
    const { teamId } = await acceptOwn(invitations, session.user, path.invitation_id)
    return { team_id: teamId }
  })
  mountSession(app, parts, consoleEndpoints.declineOwnInvitation, async ({ session, path }) => {
    await declineOwn(invitations, session.user, path.invitation_id)
    return { done: true }
  })

  /** Needs no session: its reader may have no account yet. It returns what the email has said. */
  function mountView(pages: FastifyInstance, { edge, console: deps }: ConsoleEdge): void {
    const row = consoleEndpoints.viewInvitation
    pages.post(row.path, async (request, reply) => {
      const call = { request, reply }
      reply.header('cache-control', 'no-store')
      edge.limits.perAddress.take(callerAddress(request.ip))
      requireOwnOrigin(deps, call)
      const { token } = parseBySchema(row.request.body, await readJson(edge, call))
      const invitation = await findInvitation(invitations, token)
      const known = await (await deps.signIn()).findUserByEmail(invitation.email)
      return {
        ...renderOwn(invitation),
        email: invitation.email,
        has_account: known !== null,
        can_join: known !== null || (await mayJoin(invitation.email)),
      }
    })
  }
}
