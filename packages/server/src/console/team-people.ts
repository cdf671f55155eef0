/** The routes about teams, who is in them, and what they set. */
import { consoleEndpoints, creditsJson, parseCredits, type TeamPermission, ZERO } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { ActingMember } from '../access/keys/acting-member.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import { inviteMember, INVITATIONS_MAX, resendInvitation, revokeInvitation } from '../access/teams/invitations.ts'
import { changeRole, leaveTeam, listMembers, removeMember } from '../access/teams/manage-members.ts'
import type { Membership } from '../access/teams/membership.ts'
import { rolesWith } from '../access/teams/permissions.ts'
import {
  createTeam,
  readTeamSettings,
  renameTeam,
  setResponseStorage,
  setRotationOverlap,
  setTeamAlert,
  setTeamCap,
} from '../access/teams/team-settings.ts'
import type { Session } from '../access/sign-in/sign-in.ts'
import { type ConsoleEdge, mountSession } from './session-route.ts'

const HOUR_MS = 3_600_000
const secondsOf = (ms: number): number => Math.floor(ms / 1_000)

interface OpenInvitation {
  readonly invitationId: string
  readonly email: string
  readonly role: string
  readonly inviterName: string | null
  readonly createdAt: number
  readonly expiresAt: number
}

function renderInvitation(invitation: OpenInvitation, now: number) {
  return {
    id: invitation.invitationId,
    email: invitation.email,
    role: invitation.role,
    invited_by: invitation.inviterName ?? '',
    created_at: secondsOf(invitation.createdAt),
    expires_at: secondsOf(invitation.expiresAt),
    is_expired: invitation.expiresAt <= now,
  }
}

function mountMembers(app: FastifyInstance, parts: ConsoleEdge): void {
  const { members, hasMailbox } = parts.console.people
  mountSession(app, parts, consoleEndpoints.listTeamMembers, async ({ session, membership }) => ({
    data: (await listMembers(members, membership.teamId)).map((member) => ({
      user_id: member.userId,
      name: member.name,
      email: hasMailbox(member.email) ? member.email : null,
      role: member.role,
      joined_at: secondsOf(member.joinedAt),
      is_self: member.userId === session.user.userId,
    })),
  }))
  mountSession(app, parts, consoleEndpoints.setMemberRole, async ({ path, body, ...person }) => {
    await changeRole(members, actorOf(person), { userId: path.user_id, role: body.role })
    return { done: true }
  })
  mountSession(app, parts, consoleEndpoints.removeMember, async ({ path, query, ...person }) => {
    await removeMember(members, actorOf(person), { userId: path.user_id, keys: query.keys })
    return { done: true }
  })
  mountSession(app, parts, consoleEndpoints.leaveTeam, async ({ membership, session }) => {
    await leaveTeam(members, membership, session.user.userId)
    return { done: true }
  })
}

interface Person {
  readonly session: Session
  readonly membership: Membership
}

const actorOf = ({ session, membership: { teamId, role } }: Person) => ({ teamId, role, userId: session.user.userId })

const inviterOf = ({ session, membership }: Person) => ({
  membership,
  userId: session.user.userId,
  name: session.user.name,
})

function mountInviting(app: FastifyInstance, parts: ConsoleEdge): void {
  const { invitations } = parts.console.people
  const { clock } = parts.edge
  mountSession(app, parts, consoleEndpoints.listTeamInvitations, async ({ membership }) => {
    const open = await invitations.store.listOpen(membership.teamId, INVITATIONS_MAX)
    return { data: open.map((invitation) => renderInvitation(invitation, clock.now())) }
  })
  mountSession(app, parts, consoleEndpoints.inviteMember, async ({ body, ...person }) =>
    renderInvitation(await inviteMember(invitations, inviterOf(person), body), clock.now()),
  )
  mountSession(app, parts, consoleEndpoints.resendInvitation, async ({ path, ...person }) =>
    renderInvitation(await resendInvitation(invitations, inviterOf(person), path.invitation_id), clock.now()),
  )
  mountSession(app, parts, consoleEndpoints.revokeInvitation, async ({ membership, path }) => {
    await revokeInvitation(invitations, membership.teamId, path.invitation_id)
    return { done: true }
  })
}

/** The person as their write asks for them: in a role that the row asks for. */
function actingBy(
  { membership, session }: { readonly membership: Membership; readonly session: Session },
  { permission }: { readonly permission: TeamPermission },
): ActingMember {
  return { teamId: membership.teamId, userId: session.user.userId, roles: rolesWith(permission) }
}

function mountSettings(app: FastifyInstance, parts: ConsoleEdge): void {
  const { settings, invitations } = parts.console.people
  const canMail = invitations.outbox !== null
  mountSession(app, parts, consoleEndpoints.createTeam, async ({ session, body }) => {
    const { userId } = session.user
    return { id: await createTeam(settings, { userId, teamName: body.name }), name: body.name }
  })
  mountSession(app, parts, consoleEndpoints.renameTeam, async ({ body, ...person }) => {
    await renameTeam(settings, actingBy(person, consoleEndpoints.renameTeam), body.name)
    return { done: true }
  })
  mountSession(app, parts, consoleEndpoints.getTeamSettings, async ({ membership }) => {
    const view = await readTeamSettings(settings, membership.teamId)
    return {
      name: membership.name,
      is_personal: membership.isPersonal,
      cap_credits: view.cap === null ? null : creditsJson(view.cap),
      cap_period: view.period,
      cap_used: creditsJson(view.used),
      cap_resets_at: view.resetsAt === null ? null : secondsOf(view.resetsAt),
      alert_credits: view.threshold === null ? null : creditsJson(view.threshold),
      alert_is_low: view.isLow,
      alert_can_mail: canMail,
      rotation_overlap_hours: view.rotationOverlapMs / HOUR_MS,
      stores_responses: view.storesResponses,
    }
  })
  mountSession(app, parts, consoleEndpoints.setTeamCap, async ({ body: { cap }, ...person }) => {
    const wanted = cap === null ? null : { limit: parseCredits(cap.credits) ?? ZERO, period: cap.period }
    await setTeamCap(settings, actingBy(person, consoleEndpoints.setTeamCap), wanted)
    return { done: true }
  })
  mountSession(app, parts, consoleEndpoints.setRotationOverlap, async ({ body, ...person }) => {
    await setRotationOverlap(settings, actingBy(person, consoleEndpoints.setRotationOverlap), body.hours * HOUR_MS)
    return { done: true }
  })
  mountSession(app, parts, consoleEndpoints.setResponseStorage, async ({ body, ...person }) => {
    await setResponseStorage(settings, actingBy(person, consoleEndpoints.setResponseStorage), body.is_on)
    return { done: true }
  })
  mountSession(app, parts, consoleEndpoints.setTeamAlert, async ({ body, ...person }) => {
    if (body.credits !== null && !canMail) {
      throw new ServiceError('mail_not_enabled', 'This gateway sends no mail. Ask its operator.')
    }
    const threshold = body.credits === null ? null : parseCredits(body.credits)
    await setTeamAlert(settings, actingBy(person, consoleEndpoints.setTeamAlert), threshold)
    return { done: true }
  })
}

export function mountTeamPeople(app: FastifyInstance, parts: ConsoleEdge): void {
  mountMembers(app, parts)
  mountInviting(app, parts)
  mountSettings(app, parts)
}
