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

/** The account beside the keys of a team, since an index of the account has its records in the order of the page. */
export function inScope(
  table: 'usage_record' | 'usage_daily' | 'hold' | 'request_timing',
  scope: UsageScope,
): Expression<SqlBool> {
  const keyId = sql.ref(`${table}.key_id`)
  if ('keyId' in scope) return sql<SqlBool>`${keyId} = ${scope.keyId}`
  if ('everyAccount' in scope) return sql<SqlBool>`1 = 1`
  const { accountId, teamId, createdBy, onlyKey } = scope
  const made = createdBy === null ? sql`` : sql` and k.created_by = ${createdBy}`
  const played = onlyKey === PLAYGROUND_KEYS ? sql` and k.kind = 'playground'` : null
  const one = onlyKey === null ? sql`` : (played ?? sql` and k.key_id = ${onlyKey}`)
  // Rows of timings know no account; they are in the order of their keys.
  const ofAccount = table === 'request_timing' ? sql`` : sql`${sql.ref(`${table}.account_id`)} = ${accountId} and `
  return sql<SqlBool>`${ofAccount}${keyId} in
    (select k.key_id from api_key k where k.team_id = ${teamId}${made}${one})`
}
