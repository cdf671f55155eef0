import type { LedgerOperation, LedgerResult } from './operations.ts'

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
   * A rejection means that the outcome is unknown; every operation is idempotent, so the batch may be sent again.
   */
  apply(operations: readonly LedgerOperation[]): Promise<readonly LedgerResult[]>
}
