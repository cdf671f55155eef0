import type { LedgerOperation, LedgerResult } from './operations.ts'

/** Another session has locked a row that the operation needs. Nothing of it was done; others of its batch were. */
export interface BusyResult {
  readonly kind: 'busy'
}

export type EngineResult = LedgerResult | BusyResult

/**
 * Applies money operations on one database engine. Two adapters: SQLite (one transaction) and PostgreSQL (one SQL
 * function).
 */
export interface LedgerEngine {
  /**
   * Batches that may be on their way at a time; absent: one. More where the calls decide at once, in their order, and
   * only wait to be durable.
   */
  readonly batchesAtOnce?: number
  /**
   * Applies a batch in order, in one transaction, and answers in the same order once it is durable.
   *
   * One that has to wait for a row which another session has locked is `busy`, and keeps no other from its end.
   *
   * A rejection means that the outcome is unknown; every operation is idempotent, so the batch may be sent again.
   */
  apply(operations: readonly LedgerOperation[]): Promise<readonly EngineResult[]>
}
