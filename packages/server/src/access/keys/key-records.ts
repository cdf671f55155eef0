/** Keys as the people read them who own or operate them: rows with their budgets, origins and readers. */
import { type Expression, type ExpressionBuilder, sql, type SqlBool } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { presentWindow } from '../../platform/db/present-window.ts'
import type { KeyKind } from '../../platform/db/key-schema.ts'
import type { Schema } from '../../platform/db/schema.ts'
import type { BudgetPeriod } from '../../platform/runtime/budget-period.ts'
import { findOrigins, followOrigins, type KeyWorth } from './key-origins.ts'

/** A key as its row and its budget's row have it, and as its origins leave it. */
export interface KeyRecord extends KeyWorth {
  readonly keyId: string
  readonly name: string
  readonly display: string
  readonly accountId: string
  readonly teamId: string
  readonly budgetId: string
  readonly kind: KeyKind
  /** The key through which it was mirrored; null for one that was made here. */
  readonly mirroredBy: string | null
  /** What was set for each key of its account; null where nothing was. */
  readonly teamRequestsPerMinute: number | null
  readonly budgetLimit: bigint | null
  readonly budgetPeriod: BudgetPeriod
  readonly createdAt: number
  /** Rounded down to the hour; null for a key that was never used. */
  readonly lastUsedAt: number | null
  /** The person who made it in the console; null for keys of an operator's command. */
  readonly createdBy: string | null
  /** Null when that person is gone, or there was none. */
  readonly createdByName: string | null
  /** Who has seen its secret in the console, oldest first. */
  readonly readers: readonly KeyReader[]
}

export interface KeyReader {
  readonly userId: string
  /** Null for a person who is gone. */
  readonly name: string | null
  readonly seenAt: number
}

/**
 * Keys of programs that can be used at a time, those of them that had ended by then, all of them; or the keys of the
 * playground, of which each session leaves some.
 */
export interface KeyState {
  readonly kind: 'active' | 'ended' | 'unplayed' | 'playground'
  /** Milliseconds since the epoch. */
  readonly at: number
}

export interface KeyFilter {
  /** Absent lists the keys of all accounts. */
  readonly accountId?: string
  readonly teamId?: string
  /** Only keys that this person has made. */
  readonly createdBy?: string
  /** Only this key and those that came through it, directly or over others. */
  readonly following?: string
  /** Of which state at a time; absent for all. */
  readonly state?: KeyState
  /** Continue after this key. */
  readonly after?: string
  readonly limit: number
}

export interface KeyRecords {
  find(keyId: string): Promise<KeyRecord | null>
  /** Newest first. */
  list(filter: KeyFilter): Promise<readonly KeyRecord[]>
  /** What budgets have spent in the period that contains `now`, by id; nothing where a budget is not in it. */
  listSpent(budgetIds: readonly string[], now: number): Promise<ReadonlyMap<string, bigint>>
}

const columns = [
  'api_key.key_id as keyId',
  'api_key.name',
  'api_key.display',
  'api_key.account_id as accountId',
  'api_key.team_id as teamId',
  'api_key.budget_id as budgetId',
  'api_key.kind',
  'api_key.mirrored_by as mirroredBy',
  'api_key.rights',
  'api_key.models',
  'api_key.requests_per_minute as requestsPerMinute',
  'account_limit.requests_per_minute as teamRequestsPerMinute',
  'budget.limit_nanocredits',
  'budget.period as budgetPeriod',
  'api_key.created_at as createdAt',
  'api_key.expires_at as expiresAt',
  'api_key.rotate_by as rotateBy',
  'api_key.revoked_at as revokedAt',
  'api_key.last_used_at as lastUsedAt',
  'api_key.created_by as createdBy',
  'sign_in_user.name as createdByName',
] as const

/** Makes what reads keys for people. */
export function createKeyRecords({ read }: Pick<Database, 'read'>): KeyRecords {
  const records = () =>
    read
      .selectFrom('api_key')
      .innerJoin('budget', 'budget.budget_id', 'api_key.budget_id')
      .leftJoin('account_limit', 'account_limit.account_id', 'api_key.account_id')
      .leftJoin('sign_in_user', 'sign_in_user.id', 'api_key.created_by')
      .select(columns)

  async function listReaders(keyIds: readonly string[]) {
    const readers = new Map<string, KeyReader[]>()
    if (keyIds.length === 0) return readers
    const rows = await read
      .selectFrom('key_reader')
      .leftJoin('sign_in_user', 'sign_in_user.id', 'key_reader.user_id')
      .select(['key_reader.key_id', 'key_reader.user_id as userId', 'sign_in_user.name', 'seen_at as seenAt'])
      .where('key_reader.key_id', 'in', keyIds)
      .orderBy('seen_at')
      .execute()
    for (const { key_id: keyId, ...reader } of rows) readers.set(keyId, [...(readers.get(keyId) ?? []), reader])
    return readers
  }

  async function complete(rows: readonly RecordRow[]): Promise<readonly KeyRecord[]> {
    const mirrors = rows.filter(({ mirroredBy }) => mirroredBy !== null).map(({ keyId }) => keyId)
    const [origins, readers] = await Promise.all([
      findOrigins({ read }, mirrors),
      listReaders(rows.map(({ keyId }) => keyId)),
    ])
    return rows.map(({ limit_nanocredits: budgetLimit, ...row }) => {
      const record = { ...row, budgetLimit, readers: readers.get(row.keyId) ?? [] }
      return followOrigins(record, origins.get(row.keyId) ?? [])
    })
  }

  return {
    async find(keyId) {
      const [record = null] = await complete(await records().where('api_key.key_id', '=', keyId).execute())
      return record
    },
    async listSpent(budgetIds, now) {
      if (budgetIds.length === 0) return new Map()
      const rows = await read
        .selectFrom('budget')
        .innerJoin('budget_window', 'budget_window.budget_id', 'budget.budget_id')
        .select(['budget.budget_id', 'budget_window.spent'])
        .where('budget.budget_id', 'in', budgetIds)
        .where('budget_window.window_start', '=', presentWindow(now))
        .execute()
      return new Map(rows.map((row) => [row.budget_id, row.spent]))
    },
    async list({ accountId, teamId, createdBy, following, state, after, limit }) {
      let query = records().orderBy('api_key.key_id', 'desc').limit(limit)
      if (accountId !== undefined) query = query.where('api_key.account_id', '=', accountId)
      if (teamId !== undefined) query = query.where('api_key.team_id', '=', teamId)
      if (createdBy !== undefined) query = query.where('api_key.created_by', '=', createdBy)
      if (following !== undefined) query = query.where('api_key.key_id', 'in', followersOf(following))
      if (state !== undefined) query = query.where((where) => inState(where, state))
      if (after !== undefined) query = query.where('api_key.key_id', '<', after)
      return complete(await query.execute())
    },
  }
}

function inState(where: ExpressionBuilder<Schema, 'api_key'>, { kind, at }: KeyState): Expression<SqlBool> {
  const hasEnded = where.or([
    where('api_key.revoked_at', 'is not', null),
    // An end that is unknown is none: `not` of an unknown would drop the row.
    sql<SqlBool>`(api_key.expires_at is not null and api_key.expires_at <= ${at})`,
    sql<SqlBool>`(api_key.rotate_by is not null and api_key.rotate_by <= ${at})`,
    sql<SqlBool>`api_key.key_id in ${mirrorsOfEnded(at)}`,
  ])
  const isPlayed = where('api_key.kind', '=', 'playground')
  switch (kind) {
    case 'active':
      return where.and([where.not(isPlayed), where.not(hasEnded)])
    case 'ended':
      return where.and([where.not(isPlayed), hasEnded])
    case 'unplayed':
      return where.not(isPlayed)
    case 'playground':
      return isPlayed
  }
}

/** A key, and what came through it. */
function followersOf(keyId: string) {
  return sql<string>`(
    with recursive follower (key_id) as (
      select key_id from api_key where key_id = ${keyId}
      union
      select m.key_id from api_key m join follower on m.mirrored_by = follower.key_id)
    select key_id from follower)`
}

/** A mirrored key ends with each of its origins. */
function mirrorsOfEnded(at: number) {
  return sql`(
    with recursive ended (key_id) as (
      select m.key_id from api_key m join api_key o on o.key_id = m.mirrored_by
       where m.mirrored_by is not null
         and (o.revoked_at is not null or o.expires_at <= ${at} or o.rotate_by <= ${at})
      union
      select m.key_id from api_key m join ended on m.mirrored_by = ended.key_id)
    select key_id from ended)`
}

/** Money keeps its column's name in a result, since by that name it comes back as `bigint`. */
type RecordRow = Omit<KeyRecord, 'budgetLimit' | 'readers'> & {
  readonly limit_nanocredits: bigint | null
}
