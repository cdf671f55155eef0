/** Reading for the audit: exact sums, counts, and lists of breaches, alike on both engines. */
import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { DatabaseEngine } from '../../platform/db/database.ts'
import type { Schema } from '../../platform/db/schema.ts'

/** One snapshot of the database, and the time that it is judged by. */
export interface AuditContext {
  readonly db: Kysely<Schema>
  readonly engine: DatabaseEngine
  readonly now: number
}

/** What was counted for a promise, and each row that breaks it in words. */
export interface Finding {
  /** Money as `bigint`, counts as `number`. */
  readonly figures: Readonly<Record<string, bigint | number>>
  readonly breaches: readonly string[]
}

/** One promise, and what finds whether it is kept. */
export interface Invariant {
  readonly name: string
  readonly promise: string
  readonly check: (context: AuditContext) => Promise<Finding>
}

/** Rows that break a promise are listed up to this number. */
export const BREACHES_MAX = 1_000

/** A sum that cannot overflow: SQLite adds the high and the low halves apart, PostgreSQL has exact decimals. */
export function sumOf(engine: DatabaseEngine, value: RawBuilder<unknown>): RawBuilder<unknown> {
  return engine === 'postgres'
    ? sql`coalesce(sum(${value}), 0) as high_amount, 0 as low_amount`
    : sql`coalesce(sum((${value}) >> 32), 0) as high_amount, coalesce(sum((${value}) & 4294967295), 0) as low_amount`
}

/** The columns that `sumOf` selects. */
export interface Halves {
  readonly high_amount: bigint
  readonly low_amount: bigint | number
}

/** The sum that `sumOf` selected; 0 when there is no row. */
export function joinHalves(engine: DatabaseEngine, row: Halves | undefined): bigint {
  if (row === undefined) return 0n
  return engine === 'postgres' ? row.high_amount : (row.high_amount << 32n) + BigInt(row.low_amount)
}

/** Sums a value over rows, exactly. `value` and `from` are SQL of this program, never input. */
export async function total({ db, engine }: AuditContext, value: string, from: string): Promise<bigint> {
  const result = await sql<Halves>`select ${sumOf(engine, sql.raw(value))} from ${sql.raw(from)}`.execute(db)
  return joinHalves(engine, result.rows[0])
}

/** Counts the rows of a `from` clause. */
export async function count({ db }: AuditContext, from: string): Promise<number> {
  const result = await sql<{ rows: number }>`select count(*) as rows from ${sql.raw(from)}`.execute(db)
  return result.rows[0]?.rows ?? 0
}

/** Runs a query whose rows are breaches; its column `breach` says which. */
export async function list({ db }: AuditContext, query: RawBuilder<{ breach: string }>): Promise<readonly string[]> {
  const result = await sql<{ breach: string }>`${query} limit ${sql.lit(BREACHES_MAX)}`.execute(db)
  return result.rows.map((row) => String(row.breach))
}
