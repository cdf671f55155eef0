import type { SqliteWriter } from '../db/sqlite-writer.ts'
import type { LedgerEngine } from './ledger-engine.ts'
import type { LedgerOperation } from './operations.ts'
import { readResultsText, writeBatchText } from './sqlite-batch-text.ts'

/** The ledger on SQLite: a batch is one message to the writer thread. */
export function createSqliteLedgerEngine(writer: SqliteWriter): LedgerEngine {
  return {
    apply: async (operations) =>
      readResultsText(await writer.applyBatch(writeBatchText(operations), { isFlushed: needsFlush(operations) })),
  }
}

/**
 * Whether a batch must be on the disk before its callers go on: it must unless all of it are holds that are flushed
 * with their end.
 */
export function needsFlush(operations: readonly LedgerOperation[]): boolean {
  return operations.some((operation) => operation.kind !== 'place' || operation.flush === 'at_once')
}
