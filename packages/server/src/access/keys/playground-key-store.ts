import { type Expression, type ExpressionBuilder, sql, type SqlBool } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import type { Schema } from '../../platform/db/schema.ts'

export interface PlaygroundKeyRow {
  readonly keyId: string
  readonly keyHash: string
  /** Milliseconds since the epoch; null for one that was not. */
  readonly revokedAt: number | null
}

export interface PlaygroundKeyStore {
  /** The keys that were made for a session in a team since a time, in milliseconds since the epoch. */
  list(session: { sessionId: string; teamId: string; since: number }): Promise<readonly PlaygroundKeyRow[]>
  /** Revokes the keys of a person that have lost their session. */
  revokeBaseless(person: { userId: string; now: number }): Promise<void>
}

/** Makes the store of the keys that the console makes for its playground. */
export function createPlaygroundKeyStore(database: Database): PlaygroundKeyStore {
  const { read } = database
  return {
    list: ({ sessionId, teamId, since }) =>
      read
        .selectFrom('api_key')
        .select(['key_id as keyId', 'key_hash as keyHash', 'revoked_at as revokedAt'])
        .where('session_id', '=', sessionId)
        .where('team_id', '=', teamId)
        .where('created_at', '>=', since)
        .execute(),
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
