import { sql, type Expression, type SqlBool } from 'kysely'

/** Whose requests are looked at: those of one key, or of a team's keys. */
export type UsageScope =
  | { readonly keyId: string }
  /** Every account's: for operators alone. */
  | { readonly everyAccount: true }
  | {
      readonly accountId: string
      readonly teamId: string
      /** Only keys that this person has made; null for all members'. */
      readonly createdBy: string | null
      /** One of these keys; null for all of them. */
      readonly onlyKey: string | null
    }

/** Replaces a key's id for all keys of the playground. */
const PLAYGROUND_KEYS = 'playground'

/**
 * The rows of a scope, so written that an index has them in the order of a page, whatever the database expects. Rows of
 * one key are found by it. Those of a team are found by its account, and its keys are asked of each row: PostgreSQL
 * took a key of an account that asks a lot for one that hardly asks, read all of its history by an index of keys, and
 * sorted it for each page.
 */
export function inScope(
  table: 'usage_record' | 'usage_daily' | 'hold' | 'request_timing',
  scope: UsageScope,
): Expression<SqlBool> {
  const keyId = sql.ref(`${table}.key_id`)
  if ('keyId' in scope) return sql<SqlBool>`${keyId} = ${scope.keyId}`
  if ('everyAccount' in scope) return sql<SqlBool>`1 = 1`
  const { accountId, teamId, createdBy, onlyKey } = scope
  const made = createdBy === null ? sql`` : sql` and k.created_by = ${createdBy}`
  const keys = sql`select k.key_id from api_key k where k.team_id = ${teamId}${made}`
  if (isOneKey(onlyKey)) return sql<SqlBool>`${keyId} = ${onlyKey} and (${onlyKey} in (${keys})) is true`
  const played = onlyKey === null ? sql`` : sql` and k.kind = 'playground'`
  // Rows of timings know no account; they are in the order of their keys.
  if (table === 'request_timing') return sql<SqlBool>`${keyId} in (${keys}${played})`
  return sql<SqlBool>`${sql.ref(`${table}.account_id`)} = ${accountId} and (${keyId} in (${keys}${played})) is true`
}

/** Whether rows of one key alone are looked at. */
export function isOneKey(onlyKey: string | null): onlyKey is string {
  return onlyKey !== null && onlyKey !== PLAYGROUND_KEYS
}
