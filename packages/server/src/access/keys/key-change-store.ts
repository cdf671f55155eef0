import { sql, type Expression, type NotNull, type SqlBool } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import type { ListChanges, KeyChange } from './change-poller.ts'

export interface KeyChangeStore {
  /** Keys that were revoked. */
  readonly listRevokedSince: ListChanges
  /** Keys that may do other things than before, and accounts whose keys may, by their ids. */
  readonly listChangedSince: ListChanges
}

/** Makes the store of what happens to keys: each list is one read of small indexes. */
export function createKeyChangeStore({ read }: Database): KeyChangeStore {
  return {
    listRevokedSince(since, { after, limit }) {
      return read
        .selectFrom('api_key')
        .select(['key_id as id', 'revoked_at as at'])
        .where('revoked_at', '>=', after?.at ?? since)
        .$if(after !== null, (rest) => rest.where(isBehind(sql.ref('revoked_at'), sql.ref('key_id'), after)))
        .orderBy('revoked_at')
        .orderBy('key_id')
        .limit(limit)
        .$narrowType<{ at: NotNull }>()
        .execute()
    },
    async listChangedSince(since, { after, limit }) {
      const from = after?.at ?? since
      const accounts = read
        .selectFrom('account_limit')
        .select(['account_id as id', 'changed_at as at'])
        .where('changed_at', '>=', from)
        .$if(after !== null, (rest) => rest.where(isBehind(sql.ref('changed_at'), sql.ref('account_id'), after)))
      return read
        .selectFrom('api_key')
        .select(['key_id as id', 'changed_at as at'])
        .where('changed_at', '>=', from)
        .$if(after !== null, (rest) => rest.where(isBehind(sql.ref('changed_at'), sql.ref('key_id'), after)))
        .$narrowType<{ at: NotNull }>()
        .unionAll(accounts)
        .orderBy('at')
        .orderBy('id')
        .limit(limit)
        .execute()
    },
  }
}

function isBehind(at: Expression<unknown>, id: Expression<unknown>, after: KeyChange | null): Expression<SqlBool> {
  return sql<SqlBool>`(${at} > ${after?.at ?? 0} or ${id} > ${after?.id ?? ''})`
}
