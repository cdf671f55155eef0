import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { type ActingMember, lockTeam, stillMay } from '../keys/acting-member.ts'
import type { TeamInvitationTable } from '../../platform/db/people-schema.ts'

export type InvitedRole = TeamInvitationTable['role']

export interface Invitation {
  readonly invitationId: string
  readonly teamId: string
  readonly accountId: string
  readonly teamName: string
  readonly email: string
  readonly role: InvitedRole
  /** A name; null for a person who is gone. */
  readonly inviterName: string | null
  readonly createdAt: number
  readonly expiresAt: number
}

export interface NewInvitation {
  readonly invitationId: string
  readonly teamId: string
  /** Lower case. */
  readonly email: string
  readonly role: InvitedRole
  readonly tokenHash: string
  readonly invitedBy: string
  readonly now: number
  readonly expiresAt: number
  /** The inviter, whose role must still allow it. */
  readonly by: ActingMember
}

/** A new link of an invitation, and who asks for it, whose role must still allow it. */
export interface NewLink {
  readonly tokenHash: string
  readonly expiresAt: number
  readonly by: ActingMember
}

export interface InvitationStore {
  /**
   * Writes an invitation in the place of one that is open for the same team and address. Returns false, and changes
   * nothing, where the inviter may not invite any more, or as many are open as may be: of several at the same moment
   * each counts those before it.
   */
  insert(invitation: NewInvitation, openMax: number): Promise<boolean>
  /** Those that were neither taken nor withdrawn, newest first, at most `limit`; expired ones among them. */
  listOpen(teamId: string, limit: number): Promise<readonly Invitation[]>
  /** Open ones for an address. */
  listFor(email: string, now: number): Promise<readonly Invitation[]>
  /** One that was neither taken nor withdrawn, though its time may be over. */
  find(invitationId: string): Promise<Invitation | null>
  /** The open one that a link leads to. */
  findByToken(tokenHash: string, now: number): Promise<Invitation | null>
  /** Whether an invitation for this address is open. */
  isInvited(email: string, now: number): Promise<boolean>
  /** Gives it a new link and a new end. Returns false when it was taken or withdrawn meanwhile, or the role was. */
  renew(invitationId: string, link: NewLink): Promise<boolean>
  /** Takes back one that nobody was told of: those that it ended are open again. */
  undo(invitation: Pick<Invitation, 'invitationId' | 'teamId' | 'email' | 'createdAt'>): Promise<void>
  /** Returns false when it was taken or withdrawn before. */
  revoke(invitationId: string, now: number): Promise<boolean>
  /**
   * Makes a person a member by an open invitation, once; a member keeps their role. Returns false when it is
   * not open any more.
   */
  accept(invitationId: string, userId: string, now: number): Promise<boolean>
}

/** Makes the store of invitations. */
export function createInvitationStore(database: Database): InvitationStore {
  const { read } = database
  const rows = () =>
    read
      .selectFrom('team_invitation')
      .innerJoin('team', 'team.team_id', 'team_invitation.team_id')
      .leftJoin('sign_in_user', 'sign_in_user.id', 'team_invitation.invited_by')
      .select([
        'team_invitation.invitation_id as invitationId',
        'team_invitation.team_id as teamId',
        'team.account_id as accountId',
        'team.name as teamName',
        'team_invitation.email',
        'team_invitation.role',
        'sign_in_user.name as inviterName',
        'team_invitation.created_at as createdAt',
        'team_invitation.expires_at as expiresAt',
      ])
      .where('team_invitation.accepted_at', 'is', null)
      .where('team_invitation.revoked_at', 'is', null)
  const close = (now: number) =>
    read
      .updateTable('team_invitation')
      .set({ revoked_at: now })
      .where('accepted_at', 'is', null)
      .where('revoked_at', 'is', null)
  return {
    async insert(invitation, openMax) {
      const { teamId, email, now, by } = invitation
      const before = close(now).where('team_id', '=', teamId).where('email', '=', email).where(stillMay(by))
      const [, , inserted] = await database.write([
        lockTeam(database, teamId),
        before.compile(),
        insertStatement(database, invitation, openMax),
      ])
      return inserted === 1
    },
    listOpen: (teamId, limit) =>
      rows()
        .where('team_invitation.team_id', '=', teamId)
        .orderBy('team_invitation.invitation_id', 'desc')
        .limit(limit)
        .execute(),
    listFor: (email, now) =>
      rows()
        .where('team_invitation.email', '=', email.toLowerCase())
        .where('team_invitation.expires_at', '>', now)
        .orderBy('team_invitation.invitation_id', 'desc')
        .limit(LISTED_MAX)
        .execute(),
    async find(invitationId) {
      const row = await rows().where('team_invitation.invitation_id', '=', invitationId).executeTakeFirst()
      return row ?? null
    },
    async findByToken(tokenHash, now) {
      const row = await rows()
        .where('team_invitation.token_hash', '=', tokenHash)
        .where('team_invitation.expires_at', '>', now)
        .executeTakeFirst()
      return row ?? null
    },
    async isInvited(email, now) {
      const row = await rows()
        .where('team_invitation.email', '=', email.toLowerCase())
        .where('team_invitation.expires_at', '>', now)
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },
    async renew(invitationId, { tokenHash, expiresAt, by }) {
      const statement = read
        .updateTable('team_invitation')
        .set({ token_hash: tokenHash, expires_at: expiresAt })
        .where('invitation_id', '=', invitationId)
        .where('accepted_at', 'is', null)
        .where('revoked_at', 'is', null)
        .where(stillMay(by))
      const [, renewed] = await database.write([lockTeam(database, by.teamId), statement.compile()])
      return renewed === 1
    },
    async undo({ invitationId, teamId, email, createdAt }) {
      const made = read.deleteFrom('team_invitation').where('invitation_id', '=', invitationId)
      const ended = read
        .updateTable('team_invitation')
        .set({ revoked_at: null })
        .where('team_id', '=', teamId)
        .where('email', '=', email)
        .where('revoked_at', '=', createdAt)
      await database.write([
        lockTeam(database, teamId),
        made.where('accepted_at', 'is', null).compile(),
        ended.compile(),
      ])
    },
    async revoke(invitationId, now) {
      const [revoked] = await database.write([close(now).where('invitation_id', '=', invitationId).compile()])
      return revoked === 1
    },
    async accept(invitationId, userId, now) {
      const [taken] = await database.write(acceptStatements(database, { invitationId, userId, now }))
      return taken === 1
    },
  }
}

/** Invitations of one address that are shown at most. */
const LISTED_MAX = 50

function insertStatement({ read }: Database, invitation: NewInvitation, openMax: number) {
  const { invitationId, teamId, email, role, tokenHash, invitedBy, now, expiresAt, by } = invitation
  const row = read
    .selectFrom('team')
    .select((from) => [
      from.val(invitationId).as('invitation_id'),
      'team.team_id',
      from.val(email).as('email'),
      from.val(role).as('role'),
      from.val(tokenHash).as('token_hash'),
      from.val(invitedBy).as('invited_by'),
      from.val(now).as('created_at'),
      from.val(expiresAt).as('expires_at'),
    ])
    .where('team.team_id', '=', teamId)
    .where(stillMay(by))
    .where(
      sql<boolean>`(select count(*) from team_invitation
        where team_id = ${teamId} and accepted_at is null and revoked_at is null) < ${openMax}`,
    )
  return read
    .insertInto('team_invitation')
    .columns(['invitation_id', 'team_id', 'email', 'role', 'token_hash', 'invited_by', 'created_at', 'expires_at'])
    .expression(row)
    .compile()
}

interface Acceptance {
  readonly invitationId: string
  readonly userId: string
  readonly now: number
}

/** The second statement acts on what the first one has changed: of two at the same time one finds it open. */
function acceptStatements({ read }: Database, { invitationId, userId, now }: Acceptance) {
  const take = read
    .updateTable('team_invitation')
    .set({ accepted_at: now, accepted_by: userId })
    .where('invitation_id', '=', invitationId)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
  const join = read
    .insertInto('team_member')
    .columns(['team_id', 'user_id', 'role', 'created_at'])
    .expression(
      read
        .selectFrom('team_invitation')
        .select((from) => ['team_id', 'accepted_by', 'role', from.val(now).as('created_at')])
        .where('invitation_id', '=', invitationId)
        .where('accepted_by', '=', userId)
        .where('accepted_at', '=', now)
        .$narrowType<{ accepted_by: string }>(),
    )
    .onConflict((conflict) => conflict.columns(['team_id', 'user_id']).doNothing())
  return [take.compile(), join.compile()]
}
