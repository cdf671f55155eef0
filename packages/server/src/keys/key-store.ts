import { sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import type { BudgetPeriod } from '../runtime/budget-period.ts'
import { changeStatements, insertStatements, type KeyRowChange, type NewKey } from './key-statements.ts'

/** A key as its row and its budget's row have it. */
export interface KeyRecord {
  readonly keyId: string
  readonly name: string
  readonly display: string
  readonly accountId: string
  readonly teamId: string
  readonly budgetId: string
  /** Space-separated. */
  readonly rights: string
  /** JSON array; null allows all. */
  readonly models: string | null
  /** A limit of its own; null for that of its account. */
  readonly requestsPerMinute: number | null
  /** What was set for each key of its account; null where nothing was. */
  readonly teamRequestsPerMinute: number | null
  readonly budgetLimit: bigint | null
  readonly budgetPeriod: BudgetPeriod
  /** Spent in the period that began at `budgetWindowStart`. */
  readonly budgetSpent: bigint
  readonly budgetWindowStart: number
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  /** Rounded down to the hour; null for a key that was never used. */
  readonly lastUsedAt: number | null
  /** The person who made it in the console; null for keys of an operator's command. */
  readonly createdBy: string | null
  /** The signed-in browser that it ends with: a key of the playground. Null for every other. */
  readonly sessionId: string | null
  /** Null when that person is gone, or there was none. */
  readonly createdByName: string | null
}

/** What authentication needs of a key that is valid now. */
export interface ValidKey {
  readonly keyId: string
  readonly name: string
  readonly display: string
  readonly accountId: string
  readonly teamId: string
  readonly budgetId: string
  readonly teamBudgetId: string | null
  readonly rights: string
  readonly models: string | null
  readonly expiresAt: number | null
  /** A limit of its own; null for that of its account. */
  readonly keyRequestsPerMinute: number | null
  /** What was set for its account; null where nothing was. */
  readonly requestsPerMinute: number | null
  readonly accountRequestsPerMinute: number | null
  readonly streamsAtOnce: number | null
}

/**
 * Keys that can be used at a time, those that had ended by then, or all but those of the playground that had: each
 * session leaves one of these.
 */
export interface KeyState {
  readonly kind: 'active' | 'ended' | 'unplayed'
  /** Milliseconds since the epoch. */
  readonly at: number
}

export interface KeyFilter {
  /** Absent lists the keys of all accounts. */
  readonly accountId?: string
  readonly teamId?: string
  /** Only keys that this person has made. */
  readonly createdBy?: string
  /** Of which state at a time; absent for all. */
  readonly state?: KeyState
  /** Continue after this key. */
  readonly after?: string
  readonly limit: number
}

export interface KeyStore {
  /** Finds the key that has one of these hashes and is neither revoked nor expired. Null for every other. */
  findValid(hashes: readonly string[], now: number): Promise<ValidKey | null>
  find(keyId: string): Promise<KeyRecord | null>
  /** Newest first. */
  list(filter: KeyFilter): Promise<readonly KeyRecord[]>
  /** Writes the key, and its budget where it brings one: both or none. */
  insert(key: NewKey): Promise<void>
  /** Returns false when the key does not exist or was revoked before. */
  revoke(keyId: string, now: number): Promise<boolean>
  /** Ends every key of an account, mirrored ones included. @returns how many. */
  revokeAllOf(accountId: string, now: number): Promise<number>
  /** Changes a key, and its budget's row: all or nothing. Ended keys stay as they are. */
  change(keyId: string, change: KeyRowChange): Promise<void>
  /** Makes a key end at this time; never moves its end back. */
  endBy(keyId: string, expiresAt: number): Promise<void>
  /** Notes uses; never moves a time back. */
  noteUses(uses: ReadonlyMap<string, number>): Promise<void>
}

const recordColumns = [
  'api_key.key_id as keyId',
  'api_key.name',
  'api_key.display',
  'api_key.account_id as accountId',
  'api_key.team_id as teamId',
  'api_key.budget_id as budgetId',
  'api_key.rights',
  'api_key.models',
  'api_key.requests_per_minute as requestsPerMinute',
  'account_limit.requests_per_minute as teamRequestsPerMinute',
  'budget.limit_nanocredits',
  'budget.period as budgetPeriod',
  'budget.spent',
  'budget.window_start as budgetWindowStart',
  'api_key.created_at as createdAt',
  'api_key.expires_at as expiresAt',
  'api_key.revoked_at as revokedAt',
  'api_key.last_used_at as lastUsedAt',
  'api_key.created_by as createdBy',
  'api_key.session_id as sessionId',
  'sign_in_user.name as createdByName',
] as const

/** Makes the store of keys: their rows, each with the budget row that counts its spending. */
export function createKeyStore(database: Database): KeyStore {
  const { read } = database
  const records = () =>
    read
      .selectFrom('api_key')
      .innerJoin('budget', 'budget.budget_id', 'api_key.budget_id')
      .leftJoin('account_limit', 'account_limit.account_id', 'api_key.account_id')
      .leftJoin('sign_in_user', 'sign_in_user.id', 'api_key.created_by')
      .select(recordColumns)
  return {
    async findValid(hashes, now) {
      const row = await read
        .selectFrom('api_key')
        .innerJoin('team', 'team.team_id', 'api_key.team_id')
        .leftJoin('account_limit', 'account_limit.account_id', 'api_key.account_id')
        .select([
          'api_key.key_id as keyId',
          'api_key.name',
          'api_key.display',
          'api_key.account_id as accountId',
          'api_key.team_id as teamId',
          'api_key.budget_id as budgetId',
          'team.budget_id as teamBudgetId',
          'api_key.rights',
          'api_key.models',
          'api_key.expires_at as expiresAt',
          'api_key.requests_per_minute as keyRequestsPerMinute',
          'account_limit.requests_per_minute as requestsPerMinute',
          'account_limit.account_requests_per_minute as accountRequestsPerMinute',
          'account_limit.streams_at_once as streamsAtOnce',
        ])
        .where('api_key.key_hash', 'in', hashes)
        .where('api_key.revoked_at', 'is', null)
        .where((where) => where.or([where('api_key.expires_at', 'is', null), where('api_key.expires_at', '>', now)]))
        .where(hasItsSession())
        .executeTakeFirst()
      return row ?? null
    },
    async find(keyId) {
      const row = await records().where('api_key.key_id', '=', keyId).executeTakeFirst()
      return row === undefined ? null : recordOf(row)
    },
    async list({ accountId, teamId, createdBy, state, after, limit }) {
      let query = records().orderBy('api_key.key_id', 'desc').limit(limit)
      if (accountId !== undefined) query = query.where('api_key.account_id', '=', accountId)
      if (teamId !== undefined) query = query.where('api_key.team_id', '=', teamId)
      if (createdBy !== undefined) query = query.where('api_key.created_by', '=', createdBy)
      if (state !== undefined) query = query.where((where) => inState(where, state))
      if (after !== undefined) query = query.where('api_key.key_id', '<', after)
      const rows = await query.execute()
      return rows.map(recordOf)
    },
    async insert(key) {
      await database.write(insertStatements(database, key))
    },
    async revoke(keyId, now) {
      const statement = read
        .updateTable('api_key')
        .set({ revoked_at: now })
        .where('key_id', '=', keyId)
        .where('revoked_at', 'is', null)
      const [changed] = await database.write([statement.compile()])
      return changed === 1
    },
    async revokeAllOf(accountId, now) {
      const statement = read
        .updateTable('api_key')
        .set({ revoked_at: now })
        .where('account_id', '=', accountId)
        .where('revoked_at', 'is', null)
      const [changed] = await database.write([statement.compile()])
      return changed ?? 0
    },
    async change(keyId, change) {
      const statements = changeStatements(database, keyId, change)
      if (statements.length > 0) await database.write(statements)
    },
    async endBy(keyId, expiresAt) {
      const statement = read
        .updateTable('api_key')
        .set({ expires_at: expiresAt })
        .where('key_id', '=', keyId)
        .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', expiresAt)]))
      await database.write([statement.compile()])
    },
    async noteUses(uses) {
      // In one order everywhere: several processes note the same keys at the same time, and rows stay locked to the
      // end.
      const inOrder = [...uses].toSorted(([left], [right]) => (left < right ? -1 : 1))
      const statements = inOrder.map(([keyId, usedAt]) =>
        read
          .updateTable('api_key')
          .set({ last_used_at: usedAt })
          .where('key_id', '=', keyId)
          .where((where) => where.or([where('last_used_at', 'is', null), where('last_used_at', '<', usedAt)]))
          .compile(),
      )
      if (statements.length > 0) await database.write(statements)
    },
  }
}

/** A key of the playground is worth nothing without its session, however that ended. */
function hasItsSession(): Expression<SqlBool> {
  return sql<SqlBool>`(api_key.session_id is null
    or exists (select 1 from sign_in_session s where s.id = api_key.session_id))`
}

function inState(where: ExpressionBuilder<Schema, 'api_key'>, { kind, at }: KeyState): Expression<SqlBool> {
  const isActive = where.and([
    where('api_key.revoked_at', 'is', null),
    where.or([where('api_key.expires_at', 'is', null), where('api_key.expires_at', '>', at)]),
  ])
  switch (kind) {
    case 'active':
      return isActive
    case 'ended':
      // An end that is unknown is none: `not` of an unknown would drop the row.
      return where.or([where('api_key.revoked_at', 'is not', null), where('api_key.expires_at', '<=', at)])
    case 'unplayed':
      return where.or([where('api_key.session_id', 'is', null), isActive])
  }
}

/** Money keeps its column's name in a result, since by that name it comes back as `bigint`. */
type RecordRow = Omit<KeyRecord, 'budgetLimit' | 'budgetSpent'> & {
  readonly limit_nanocredits: bigint | null
  readonly spent: bigint
}

function recordOf({ limit_nanocredits: budgetLimit, spent: budgetSpent, ...row }: RecordRow): KeyRecord {
  return { ...row, budgetLimit, budgetSpent }
}
