import type { SqliteWriter } from '../db/sqlite-writer.ts'
import type { LedgerEngine } from './ledger-engine.ts'
import type { LedgerResult } from './operations.ts'

/** The ledger on SQLite: a batch is one message to the writer thread. */
export function createSqliteLedgerEngine(writer: SqliteWriter): LedgerEngine {
  return {
    // What comes back is what `applySqliteBatch` returned in the thread.
    apply: async (operations) => (await writer.applyBatch(operations)) as readonly LedgerResult[],
  }
}
