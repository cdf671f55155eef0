import { sql, type CompiledQuery } from 'kysely'
import { isUniqueViolation } from '../../platform/db/database-failure.ts'
import type { Database } from '../../platform/db/database.ts'
import { text, whole } from '../../platform/db/selected-value.ts'
import { type ActingMember, lockTeam, stillMay } from '../keys/acting-member.ts'
import { endLostKeys, type LostRole } from './lost-keys.ts'
import type { Member, Membership } from './membership.ts'
import type { Role } from './permissions.ts'

export interface NewTeam {
  readonly teamId: string
  readonly accountId: string
  readonly name: string
  readonly ownerId: string
  /** True for the team that is made with the person; there is one each. */
  readonly isPersonal: boolean
  readonly createdAt: number
}

export interface TeamStore {
  /**
   * Writes account, balance, team and owner, all or none. False when the person has a personal team already, or owns
   * as many teams as they may by then: of several at the same moment each counts those before it.
   *
   * @param ownedMax how many teams the person may own with this one; absent for any number.
   */
  insert(team: NewTeam, ownedMax?: number): Promise<boolean>
  /** Oldest first. */
  listMemberships(userId: string): Promise<readonly Membership[]>
  findMembership(userId: string, teamId: string): Promise<Membership | null>
  /** Oldest first. */
  listMembers(teamId: string): Promise<readonly Member[]>
  /** Returns false when the person is a member already. */
  addMember(member: { teamId: string; userId: string; role: Role; createdAt: number }): Promise<boolean>
  /**
   * Changes a role that is still the one it was; never takes the last owner's, nor that of the person whom the team was
   * made with. A member who may not invite any more has their open invitations withdrawn, and keys end as `endLostKeys`
   * says. Returns false when nothing changed.
   */
  setRole(change: RoleChange): Promise<boolean>
  /**
   * Removes a member whose role is still the one it was, with the invitations that they have open, and their keys as
   * `endLostKeys` says; never the last owner, nor the person whom the team was made with. Returns false when nothing
   * changed.
   *
   * @param member.keys what becomes of keys that they have seen and that are not theirs; `keep` when absent.
   */
  removeMember(member: Omit<RoleChange, 'to'> & { readonly keys?: LostRole['keys'] }): Promise<boolean>
  rename(teamId: string, name: string): Promise<void>
  /** Makes a team that exists the person's own; they become its owner. Repeating it changes nothing. */
  makePersonal(member: { teamId: string; userId: string; createdAt: number }): Promise<void>
}

export interface RoleChange {
  readonly teamId: string
  readonly userId: string
  readonly from: Role
  readonly to: Role
  readonly now: number
  /** The member who does it, whose role must still allow it; absent for people who leave by themselves. */
  readonly by?: ActingMember
}

/** Makes the store of teams and their members. */
export function createTeamStore(database: Database): TeamStore {
  const { read } = database
  const memberships = (userId: string) =>
    read
      .selectFrom('team_member')
      .innerJoin('team', 'team.team_id', 'team_member.team_id')
      .innerJoin('account', 'account.account_id', 'team.account_id')
      .select([
        'team.team_id as teamId',
        'team.account_id as accountId',
        'team.name',
        'team_member.role',
        'team.budget_id as budgetId',
        'account.status as accountStatus',
        'team.personal_user_id as personalUserId',
      ])
      .where('team_member.user_id', '=', userId)
  return {
    async insert(team, ownedMax) {
      try {
        const [, inserted] = await database.write(insertStatements(database, team, ownedMax))
        return inserted === 1
      } catch (error) {
        if (isUniqueViolation(error)) return false
        throw error
      }
    },
    async listMemberships(userId) {
      const rows = await memberships(userId).orderBy('team.team_id').execute()
      return rows.map(membershipOf)
    },
    async findMembership(userId, teamId) {
      const row = await memberships(userId).where('team.team_id', '=', teamId).executeTakeFirst()
      return row === undefined ? null : membershipOf(row)
    },
    listMembers(teamId) {
      return read
        .selectFrom('team_member')
        .innerJoin('sign_in_user', 'sign_in_user.id', 'team_member.user_id')
        .select([
          'team_member.user_id as userId',
          'sign_in_user.name',
          'sign_in_user.email',
          'team_member.role',
          'team_member.created_at as joinedAt',
        ])
        .where('team_member.team_id', '=', teamId)
        .orderBy('team_member.created_at')
        .orderBy('team_member.user_id')
        .execute()
    },
    async addMember({ teamId, userId, role, createdAt }) {
      const statement = read
        .insertInto('team_member')
        .values({ team_id: teamId, user_id: userId, role, created_at: createdAt })
        .onConflict((conflict) => conflict.columns(['team_id', 'user_id']).doNothing())
      const [added] = await database.write([statement.compile()])
      return added === 1
    },
    async setRole(change) {
      // Two owners who leave at the same moment would each see the other stay: the team is locked first.
      const statement = read
        .updateTable('team_member')
        .set({ role: change.to })
        .where('team_id', '=', change.teamId)
        .where('user_id', '=', change.userId)
        .where('role', '=', change.from)
        .where(stillMay(change.by))
        .where(mayLoseOwner(database, change.from === 'owner' && change.to !== 'owner' ? change : null))
      const [, changed] = await database.write([
        lockTeam(database, change.teamId),
        statement.compile(),
        withdrawInvitations(database, change),
        ...endLostKeys(database, { ...change, keys: 'keep' }),
      ])
      return changed === 1
    },
    async removeMember({ keys = 'keep', ...member }) {
      const statement = read
        .deleteFrom('team_member')
        .where('team_id', '=', member.teamId)
        .where('user_id', '=', member.userId)
        .where('role', '=', member.from)
        .where(stillMay(member.by))
        .where(mayLoseOwner(database, member.from === 'owner' ? member : null))
      const [, removed] = await database.write([
        lockTeam(database, member.teamId),
        statement.compile(),
        withdrawInvitations(database, member),
        ...endLostKeys(database, { ...member, keys }),
      ])
      return removed === 1
    },
    async rename(teamId, name) {
      await database.write([read.updateTable('team').set({ name }).where('team_id', '=', teamId).compile()])
    },
    async makePersonal({ teamId, userId, createdAt }) {
      const own = read.updateTable('team').set({ personal_user_id: userId }).where('team_id', '=', teamId)
      const join = read
        .insertInto('team_member')
        .values({ team_id: teamId, user_id: userId, role: 'owner', created_at: createdAt })
        .onConflict((conflict) => conflict.columns(['team_id', 'user_id']).doNothing())
      await database.write([own.compile(), join.compile()])
    },
  }
}

/** Another owner stays, and the team was not made with this person. @param member null where no owner is lost. */
function mayLoseOwner({ read }: Database, member: Pick<RoleChange, 'teamId' | 'userId'> | null) {
  if (member === null) return sql<boolean>`1 = 1`
  const others = read
    .selectFrom('team_member as other')
    .innerJoin('team', 'team.team_id', 'other.team_id')
    .select('other.user_id')
    .where('other.team_id', '=', member.teamId)
    .where('other.role', '=', 'owner')
    .where('other.user_id', '<>', member.userId)
    .where((where) =>
      where.or([where('team.personal_user_id', 'is', null), where('team.personal_user_id', '<>', member.userId)]),
    )
  return sql<boolean>`exists ${others}`
}

/** An invitation counts as long as its writer may invite. */
function withdrawInvitations({ read }: Database, { teamId, userId, now }: Omit<RoleChange, 'from' | 'to'>) {
  const mayInvite = read
    .selectFrom('team_member')
    .select('user_id')
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .where('role', 'in', ['owner', 'admin'])
  return read
    .updateTable('team_invitation')
    .set({ revoked_at: now })
    .where('team_id', '=', teamId)
    .where('invited_by', '=', userId)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where((where) => where.not(where.exists(mayInvite)))
    .compile()
}

function membershipOf(row: Omit<Membership, 'isPersonal'> & { readonly personalUserId: string | null }): Membership {
  const { personalUserId, ...membership } = row
  return { ...membership, isPersonal: personalUserId !== null }
}

/** The account is written where the person may own one more team, and all else where it was. */
function insertStatements(
  { read }: Database,
  team: NewTeam,
  ownedMax = Number.MAX_SAFE_INTEGER,
): readonly CompiledQuery[] {
  const { teamId, accountId, name, ownerId, createdAt } = team
  const isInserted = sql`exists (select 1 from account where account_id = ${accountId})`
  const personalId = team.isPersonal ? ownerId : null
  return [
    // Teams of one person are made one after the other.
    sql`update sign_in_user set name = name where id = ${ownerId}`,
    sql`
      insert into account (account_id, name, status, created_at)
      select ${text(accountId)}, ${text(name)}, 'active', ${whole(createdAt)}
       where (select count(*) from team_member where user_id = ${ownerId} and role = 'owner') < ${ownedMax}`,
    sql`insert into balance (account_id, posted, held) select ${text(accountId)}, 0, 0 where ${isInserted}`,
    sql`
      insert into team (team_id, account_id, budget_id, name, created_at, personal_user_id)
      select ${text(teamId)}, ${text(accountId)}, null, ${text(name)}, ${whole(createdAt)}, ${text(personalId)}
       where ${isInserted}`,
    sql`
      insert into team_member (team_id, user_id, role, created_at)
      select ${text(teamId)}, ${text(ownerId)}, 'owner', ${whole(createdAt)} where ${isInserted}`,
  ].map((statement) => statement.compile(read))
}
