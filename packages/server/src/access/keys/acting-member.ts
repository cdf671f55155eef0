/**
 * A member who acts, in the transaction of what they do. A role is taken away under the team's lock, so what is written
 * under the same lock, while the role is still there, comes before it or not at all.
 */
import { type CompiledQuery, type Expression, sql, type SqlBool } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'

export interface ActingMember {
  readonly teamId: string
  readonly userId: string
  /** The roles that may do it; never empty. */
  readonly roles: readonly string[]
}

/** Changes of one team's members, and what members do by their role, happen one after the other. */
export function lockTeam({ read }: Pick<Database, 'read'>, teamId: string): CompiledQuery {
  return read
    .updateTable('team')
    .set((set) => ({ name: set.ref('name') }))
    .where('team_id', '=', teamId)
    .compile()
}

/** Whether the member has one of the roles now; true where no member acts. For a statement behind `lockTeam`. */
export function stillMay(member: ActingMember | undefined): Expression<SqlBool> {
  if (member === undefined) return sql<SqlBool>`1 = 1`
  const { teamId, userId, roles } = member
  return sql<SqlBool>`exists (
    select 1 from team_member acting
     where acting.team_id = ${teamId} and acting.user_id = ${userId} and acting.role in (${sql.join(roles)}))`
}

/**
 * The database as a member writes to it: what they write is written while they have one of the roles, or not at all.
 * Until the end of each write they keep it.
 */
export function writesOfMember(database: Database, member: ActingMember): Database {
  const { read } = database
  const statement = read
    .updateTable('team')
    .set((set) => ({ name: set.ref('name') }))
    .where('team_id', '=', member.teamId)
    .where(stillMay(member))
    .compile()
  return { ...database, write: (statements) => database.write(statements, { statement, unmet: roleLost }) }
}

/** For an actor whose role was taken between the question and the write. */
export function roleLost(): ServiceError {
  return new ServiceError('role_denied', 'Your role in this team may not do this any more.')
}
