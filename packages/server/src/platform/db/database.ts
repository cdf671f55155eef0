/**
 * The database as the cold paths see it. Money moves through the ledger room instead, which has its own way to the
 * engine.
 */
import type { CompiledQuery, Kysely } from 'kysely'
import type { Schema } from './schema.ts'

export type DatabaseEngine = 'sqlite' | 'postgres'

export interface Database {
  readonly engine: DatabaseEngine
  /** Reads only. Whole numbers that can hold money come back as `bigint`, all other numbers as `number`. */
  readonly read: Kysely<Schema>
  /**
   * Runs statements in order in one transaction: all or none.
   *
   * @returns how many rows each statement changed, in the same order.
   */
  write(statements: readonly CompiledQuery[]): Promise<readonly number[]>
  close(): Promise<void>
}
