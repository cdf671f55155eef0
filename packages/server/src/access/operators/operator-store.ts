import { type CompiledQuery, type Expression, sql, type SqlBool } from 'kysely'
import type { Database } from '../../platform/db/database.ts'

export interface OperatorStore {
  isOperator(userId: string): Promise<boolean>
  hasAny(): Promise<boolean>
  /**
   * Returns false when the person is one already; adding a person twice changes nothing.
   *
   * @param by the operator who does it, and must be one still; absent for what no person does in the console.
   */
  add(userId: string, now: number, by?: string): Promise<boolean>
  /** Never removes the last one. Returns false when nothing changed. @param by as for `add`. */
  remove(userId: string, by?: string): Promise<boolean>
  /** Oldest first. */
  list(): Promise<readonly { readonly userId: string; readonly createdAt: number }[]>
  addFirstRunToken(tokenHash: string, now: number): Promise<void>
  /** Takes a token while there is no operator; of several at the same time one succeeds. */
  takeFirstRunToken(tokenHash: string): Promise<boolean>
  clearFirstRunTokens(): Promise<void>
  /** By name. */
  readSettings(): Promise<ReadonlyMap<string, StoredSetting>>
  /** Writes all of them or none; null forgets one. */
  writeSettings(values: ReadonlyMap<string, string | null>, by: string, now: number): Promise<void>
}

/** A setting as stored. */
export interface StoredSetting {
  /** JSON text. */
  readonly value: string
  readonly updatedAt: number
  /** The name of the person who set it; null for what was set by hand. */
  readonly updatedBy: string | null
}

/** Makes the store of operators and of what they set. */
export function createOperatorStore(database: Database): OperatorStore {
  const { read } = database
  return {
    async isOperator(userId) {
      const row = await read.selectFrom('operator').select('user_id').where('user_id', '=', userId).executeTakeFirst()
      return row !== undefined
    },
    async hasAny() {
      return (await read.selectFrom('operator').select('user_id').limit(1).executeTakeFirst()) !== undefined
    },
    async add(userId, now, by) {
      const statement = sql`
        insert into operator (user_id, created_at) select cast(${userId} as text), cast(${now} as bigint)
         where ${isStillOperator(by)}
        on conflict (user_id) do nothing`
      const [, added] = await database.write([lockOperators(database), statement.compile(read)])
      return added === 1
    },
    async remove(userId, by) {
      const statement = read
        .deleteFrom('operator')
        .where('user_id', '=', userId)
        .where(isStillOperator(by))
        .where((where) =>
          where.exists(
            read.selectFrom('operator as other').select('other.user_id').where('other.user_id', '<>', userId),
          ),
        )
      const [, removed] = await database.write([lockOperators(database), statement.compile()])
      return removed === 1
    },
    list() {
      return read
        .selectFrom('operator')
        .select(['user_id as userId', 'created_at as createdAt'])
        .orderBy('created_at')
        .execute()
    },
    async addFirstRunToken(tokenHash, now) {
      const statement = read.insertInto('first_run_token').values({ token_hash: tokenHash, created_at: now })
      await database.write([statement.compile()])
    },
    async takeFirstRunToken(tokenHash) {
      const statement = read
        .deleteFrom('first_run_token')
        .where('token_hash', '=', tokenHash)
        .where((where) => where.not(where.exists(read.selectFrom('operator').select('user_id'))))
      const [taken] = await database.write([statement.compile()])
      return taken === 1
    },
    async clearFirstRunTokens() {
      await database.write([read.deleteFrom('first_run_token').compile()])
    },
    async readSettings() {
      const rows = await read
        .selectFrom('gateway_setting')
        .select(['name', 'value', 'updated_at as updatedAt', 'updated_by as updatedBy'])
        .execute()
      return new Map(rows.map(({ name, ...setting }) => [name, setting]))
    },
    async writeSettings(values, by, now) {
      const statements = [...values].map(([name, value]) => {
        if (value === null) return read.deleteFrom('gateway_setting').where('name', '=', name).compile()
        const row = { value, updated_at: now, updated_by: by }
        return read
          .insertInto('gateway_setting')
          .values({ name, ...row })
          .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
          .compile()
      })
      await database.write(statements)
    },
  }
}

/**
 * Whether a person is an operator now; true where no person acts.
 *
 * @param by of the console; undefined for a command or a start.
 */
export function isStillOperator(by: string | undefined): Expression<SqlBool> {
  if (by === undefined) return sql<SqlBool>`1 = 1`
  return sql<SqlBool>`exists (select 1 from operator acting where acting.user_id = ${by})`
}

/** Operators come and go one after the other: two who remove each other at once would leave none. */
function lockOperators({ read }: Database): CompiledQuery {
  return read
    .updateTable('operator')
    .set((set) => ({ created_at: set.ref('created_at') }))
    .compile()
}
