/** Invitations: asking a person into a team by an email, and their answer. Source: decision 0043 (people of a team). */
import { randomBytes } from 'node:crypto'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { renderInvitationEmail } from '../../platform/mail/invitation-email.ts'
import { type OutboxDeps, sendMail } from '../../platform/mail/outbox.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { createId } from '../../platform/runtime/ids.ts'
import { hashToken } from '../../platform/runtime/hash-token.ts'
import type { Invitation, InvitationStore, InvitedRole } from './invitation-store.ts'
import { roleLost } from '../keys/acting-member.ts'
import { actingOn, reaches } from './manage-members.ts'
import type { Membership } from './membership.ts'
import type { TeamStore } from './team-store.ts'

export interface InvitationDeps {
  readonly store: InvitationStore
  readonly teams: Pick<TeamStore, 'listMembers'>
  /** Null where no mail is sent. */
  readonly outbox: OutboxDeps | null
  readonly clock: Clock
  /** What the gateway is called. */
  readonly brand: () => Promise<string>
  /** Page of the console that an invitation email leads to. */
  readonly linkOf: (token: string) => string
}

export interface Inviter {
  readonly membership: Membership
  readonly userId: string
  readonly name: string
}

/** An invitation can be taken for so long, in milliseconds. Source: decision 0043. */
const INVITATION_MS = 7 * 86_400_000
/** Open invitations of one team at most. Source: own choice. */
export const INVITATIONS_MAX = 100
const TOKEN_BYTES = 32

/**
 * Invites a person to a team. Another open invitation of the same team and address ends.
 *
 * @param request its address is a plain one.
 * @throws {ServiceError} `mail_not_enabled`, `already_member`, `limit_reached`, `role_denied`; `rate_limit_exceeded`
 *   where the address got too many emails.
 */
export async function inviteMember(
  deps: InvitationDeps,
  inviter: Inviter,
  request: { readonly email: string; readonly role: InvitedRole },
): Promise<Invitation> {
  const { store, clock } = deps
  const { membership, userId } = inviter
  const { teamId } = membership
  requireMail(deps)
  if (!reaches(membership.role, request.role)) {
    throw new ServiceError('role_denied', `The role ${membership.role} may not give the role ${request.role}.`)
  }
  const email = request.email.toLowerCase()
  if ((await deps.teams.listMembers(teamId)).some((member) => member.email === email)) {
    throw new ServiceError('already_member', 'This address belongs to a member of the team.', { param: 'email' })
  }
  const now = clock.now()
  const token = createToken()
  const invitationId = createId(now)
  const written = {
    ...{ invitationId, teamId, email, role: request.role, invitedBy: userId, now },
    ...{ tokenHash: hashToken(token), expiresAt: now + INVITATION_MS },
    by: actingOn({ ...membership, userId }, request.role),
  }
  if (!(await store.insert(written, INVITATIONS_MAX))) {
    const open = await store.listOpen(teamId, INVITATIONS_MAX)
    if (open.length < INVITATIONS_MAX) throw roleLost()
    throw new ServiceError('limit_reached', `A team has at most ${INVITATIONS_MAX} open invitations. Withdraw one.`)
  }
  const invitation = await getOpen(deps, teamId, invitationId)
  await sendOrWithdraw(deps, invitation, token)
  return invitation
}

/** The link that was sent before ends. @throws {ServiceError} as `inviteMember`, and `invitation_not_found`. */
export async function resendInvitation(
  deps: InvitationDeps,
  inviter: Inviter,
  invitationId: string,
): Promise<Invitation> {
  requireMail(deps)
  const { teamId } = inviter.membership
  const before = await getOpen(deps, teamId, invitationId)
  if (!reaches(inviter.membership.role, before.role)) {
    throw new ServiceError('role_denied', `The role ${inviter.membership.role} may not give the role ${before.role}.`)
  }
  const token = createToken()
  const by = actingOn({ ...inviter.membership, userId: inviter.userId }, before.role)
  const link = { tokenHash: hashToken(token), expiresAt: deps.clock.now() + INVITATION_MS, by }
  await send(deps, { ...before, expiresAt: link.expiresAt }, token)
  if (!(await deps.store.renew(invitationId, link))) throw notFound()
  return getOpen(deps, teamId, invitationId)
}

/** @throws {ServiceError} `invitation_not_found`. */
export async function revokeInvitation(deps: InvitationDeps, teamId: string, invitationId: string): Promise<void> {
  await getOpen(deps, teamId, invitationId)
  if (!(await deps.store.revoke(invitationId, deps.clock.now()))) throw notFound()
}

/** Finds what an email's link leads to. @throws {ServiceError} `invitation_not_found`. */
export async function findInvitation({ store, clock }: Pick<InvitationDeps, 'store' | 'clock'>, token: string) {
  const invitation = await store.findByToken(hashToken(token), clock.now())
  if (invitation === null) throw notFound()
  return invitation
}

/**
 * Takes an invitation by the secret of its email: the reader of the email may answer it, under whichever account.
 *
 * @throws {ServiceError} `invitation_not_found`.
 */
export async function acceptByToken(deps: InvitationDeps, token: string, userId: string): Promise<Invitation> {
  return accept(deps, await findInvitation(deps, token), userId)
}

/** Who is asked: by their proven address. */
export interface Invited {
  readonly userId: string
  readonly email: string
  readonly hasEmail: boolean
}

/** Takes one that was sent to the person's address. @throws {ServiceError} `invitation_not_found`. */
export async function acceptOwn(deps: InvitationDeps, person: Invited, invitationId: string): Promise<Invitation> {
  return accept(deps, await findOwn(deps, person, invitationId), person.userId)
}

/** @throws {ServiceError} `invitation_not_found`. */
export async function declineOwn(deps: InvitationDeps, person: Invited, invitationId: string): Promise<void> {
  await findOwn(deps, person, invitationId)
  if (!(await deps.store.revoke(invitationId, deps.clock.now()))) throw notFound()
}

export async function listOwn({ store, clock }: InvitationDeps, person: Invited): Promise<readonly Invitation[]> {
  return person.hasEmail ? store.listFor(person.email, clock.now()) : []
}

async function findOwn(deps: InvitationDeps, person: Invited, invitationId: string): Promise<Invitation> {
  const found = (await listOwn(deps, person)).find((invitation) => invitation.invitationId === invitationId)
  if (found === undefined) throw notFound()
  return found
}

async function accept(deps: InvitationDeps, invitation: Invitation, userId: string): Promise<Invitation> {
  if (await deps.store.accept(invitation.invitationId, userId, deps.clock.now())) return invitation
  throw notFound()
}

async function getOpen({ store }: InvitationDeps, teamId: string, invitationId: string): Promise<Invitation> {
  const invitation = await store.find(invitationId)
  if (invitation === null || invitation.teamId !== teamId) throw notFound()
  return invitation
}

/** An invitation whose email may not leave is none, and what it stands in the place of is open as before. */
async function sendOrWithdraw(deps: InvitationDeps, invitation: Invitation, token: string): Promise<void> {
  try {
    await send(deps, invitation, token)
  } catch (error) {
    await deps.store.undo(invitation)
    throw error
  }
}

async function send(deps: InvitationDeps, invitation: Invitation, token: string): Promise<void> {
  const outbox = requireMail(deps)
  const { teamName, role, expiresAt, inviterName } = invitation
  // The request does not wait for the mail server; what fails is tried again from the outbox.
  const result = await sendMail(outbox, {
    kind: 'invitation',
    accountId: invitation.accountId,
    topic: `invitation:${hashToken(token)}`,
    recipient: invitation.email,
    content: renderInvitationEmail({
      ...{ teamName, role, expiresAt, inviterName: inviterName ?? '', brand: await deps.brand() },
      link: deps.linkOf(token),
    }),
    expiresAt,
  })
  if (result.kind === 'throttled') {
    throw new ServiceError('rate_limit_exceeded', 'Too many invitations were sent. Try again later.', {
      retryAfterSeconds: Math.ceil(result.retryAfterMs / 1_000),
    })
  }
  if (result.kind === 'suppressed') {
    throw new ServiceError('invalid_value', 'This address takes no emails of this gateway.', { param: 'email' })
  }
}

function requireMail({ outbox }: Pick<InvitationDeps, 'outbox'>): OutboxDeps {
  if (outbox !== null) return outbox
  throw new ServiceError('mail_not_enabled', 'This gateway sends no mail, so invitations are off. Ask its operator.')
}

function createToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

function notFound(): ServiceError {
  const message = 'There is no such invitation: it was used or withdrawn, or has expired. Ask for a new one.'
  return new ServiceError('invitation_not_found', message)
}

export type { Invitation } from './invitation-store.ts'
