import { type Expression, type ExpressionBuilder, sql, type SqlBool } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import type { Schema } from '../../platform/db/schema.ts'

export interface PlaygroundKeyStore {
  /** Revokes all live keys of a session in a team but the newest ones. */
  keepNewest(session: { sessionId: string; teamId: string; kept: number; now: number }): Promise<void>
  /** Revokes the keys of a person that have lost their session. */
  revokeBaseless(person: { userId: string; now: number }): Promise<void>
}

/** Makes the store of the keys that the console makes for its playground. */
export function createPlaygroundKeyStore(database: Database): PlaygroundKeyStore {
  const { read } = database
  return {
    async keepNewest({ sessionId, teamId, kept, now }) {
      const newest = read
        .selectFrom('api_key as newest')
        .select('newest.key_id')
        .where('newest.session_id', '=', sessionId)
        .where('newest.team_id', '=', teamId)
        .where('newest.revoked_at', 'is', null)
        .orderBy('newest.key_id', 'desc')
        .limit(kept)
      const statement = read
        .updateTable('api_key')
        .set({ revoked_at: now })
        .where('session_id', '=', sessionId)
        .where('team_id', '=', teamId)
        .where((where) => isLive(where, now))
        .where('key_id', 'not in', newest)
      await database.write([statement.compile()])
    },
    async revokeBaseless({ userId, now }) {
      const statement = read
        .updateTable('api_key')
        .set({ revoked_at: now })
        .where('created_by', '=', userId)
        .where('session_id', 'is not', null)
        .where((where) => isLive(where, now))
        .where(hasNoSession())
      await database.write([statement.compile()])
    },
  }
}

function hasNoSession(): Expression<SqlBool> {
  return sql<SqlBool>`(not exists (select 1 from sign_in_session s where s.id = api_key.session_id))`
}

function isLive(where: ExpressionBuilder<Schema, 'api_key'>, now: number): Expression<SqlBool> {
  return where.and([where('revoked_at', 'is', null), where('expires_at', '>', now)])
}
