import type { SqliteWriter } from '../db/sqlite-writer.ts'
import type { LedgerEngine } from './ledger-engine.ts'
import { readResultsText, writeBatchText } from './sqlite-batch-text.ts'

/** The ledger on SQLite: a batch is one message to the writer thread. */
export function createSqliteLedgerEngine(writer: SqliteWriter): LedgerEngine {
  return {
    apply: async (operations) => readResultsText(await writer.applyBatch(writeBatchText(operations))),
  }
}
