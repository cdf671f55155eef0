import type { OpenDatabase } from '../../platform/db/open-database.ts'
import type { LedgerEngine } from './ledger-engine.ts'
import type { LogNotes } from './sqlite-batch.ts'
import { createPostgresLedgerEngine } from './postgres-ledger-engine.ts'
import { createSqliteLedgerEngine } from './sqlite-ledger-engine.ts'

/**
 * Creates the ledger's way into a database that is open.
 *
 * @param notes what SQLite leaves for the ledger log, where the rows are in memory already. On PostgreSQL the function
 *   that books notes it.
 */
export function createLedgerEngine(database: OpenDatabase, notes?: LogNotes): LedgerEngine {
  return database.engine === 'sqlite'
    ? createSqliteLedgerEngine(database.writer, notes)
    : createPostgresLedgerEngine(database.pool)
}
