/**
 * The database as the cold paths see it. Money moves through the ledger room instead, which has its own way to the
 * engine.
 */
import type { CompiledQuery, Kysely } from 'kysely'
import type { Schema } from './schema.ts'

export type DatabaseEngine = 'sqlite' | 'postgres'

/** What must be so for a write, from before its first statement to its end. */
export interface WriteCondition {
  /** Changes a row where it is so, if only to what that was: until the end no other writer can change the row. */
  readonly statement: CompiledQuery
  /** Makes the error of a write that found it otherwise. */
  readonly unmet: () => Error
}

export interface Database {
  readonly engine: DatabaseEngine
  /** Reads only. Whole numbers that can hold money come back as `bigint`, all other numbers as `number`. */
  readonly read: Kysely<Schema>
  /**
   * Runs statements in order in one transaction: all or none.
   *
   * @returns how many rows each statement changed, in the same order.
   * @throws what the condition says, where it does not hold: then nothing was written.
   */
  write(statements: readonly CompiledQuery[], condition?: WriteCondition): Promise<readonly number[]>
  close(): Promise<void>
}
