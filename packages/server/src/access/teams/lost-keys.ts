/**
 * What becomes of keys when a person loses a role, in the transaction that takes it. Their own keys end at once. A key
 * whose secret they have seen and that they may not handle any more ends after the team's overlap, so that those who
 * run production with it can rotate it first. Source: decision 0095 (keys follow the people who have seen them).
 */
import { type CompiledQuery, type Expression, sql, type SqlBool } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { laterThanBefore } from '../keys/key-statements.ts'
import { rolesWith } from './permissions.ts'

export interface LostRole {
  readonly teamId: string
  readonly userId: string
  readonly now: number
  /** `revoke` ends what they have seen at once, `keep` after the team's overlap. */
  readonly keys: 'keep' | 'revoke'
}

/**
 * Statements for after the change of the role. They read the role that is there then: one that was kept loses nothing.
 */
export function endLostKeys({ read }: Database, lost: LostRole): readonly CompiledQuery[] {
  const { teamId, userId, now, keys } = lost
  const live = () => read.updateTable('api_key').where('team_id', '=', teamId).where('revoked_at', 'is', null)
  const isOwn = sql<SqlBool>`(kind <> 'service' and created_by = ${userId})`
  const own = live().set({ revoked_at: now }).where(isOwn).where(sql<SqlBool>`not exists (
      select 1 from team_key_holder where team_id = ${teamId} and user_id = ${userId})`)
  const seen = sql<SqlBool>`(key_id in (select key_id from key_reader where user_id = ${userId})
    and not ${isOwn} and not ${handlesAll(lost)})`
  const overlap = sql<number>`(select rotation_overlap_ms from team where team_id = ${teamId})`
  const end = sql<number>`(cast(${now} as bigint) + ${overlap})`
  const atOnce = live()
    .set({ revoked_at: now })
    .where(seen)
    .where(keys === 'revoke' ? sql<SqlBool>`1 = 1` : sql<SqlBool>`${overlap} = 0`)
  const later = live()
    .set({
      rotate_by: sql<number>`case when rotate_by < ${end} then rotate_by else ${end} end`,
      changed_at: laterThanBefore(now),
    })
    .where(seen)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
  return [own.compile(), atOnce.compile(), later.compile(), endMirrors({ read }, lost)]
}

/** Whether the person may still handle every key of the team. */
function handlesAll({ teamId, userId }: LostRole): Expression<SqlBool> {
  const roles = sql.join(rolesWith('keys:all'))
  return sql<SqlBool>`exists (
    select 1 from team_member where team_id = ${teamId} and user_id = ${userId} and role in (${roles}))`
}

/** Ends what was mirrored through keys that have ended now: requests that run with it end, too. */
function endMirrors({ read }: Pick<Database, 'read'>, { teamId, now }: LostRole): CompiledQuery {
  return read
    .updateTable('api_key')
    .set({ revoked_at: now })
    .where('revoked_at', 'is', null)
    .where(
      sql<SqlBool>`key_id in (
        with recursive ended (key_id) as (
          select key_id from api_key where team_id = ${teamId} and revoked_at = ${now}
          union
          select m.key_id from api_key m join ended on m.mirrored_by = ended.key_id)
        select key_id from ended)`,
    )
    .compile()
}
