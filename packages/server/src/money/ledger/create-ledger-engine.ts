import type { OpenDatabase } from '../../platform/db/open-database.ts'
import type { LedgerEngine } from './ledger-engine.ts'
import type { OnLogged } from './sqlite-batch.ts'
import { createPostgresLedgerEngine } from './postgres-ledger-engine.ts'
import { createSqliteLedgerEngine } from './sqlite-ledger-engine.ts'

/**
 * Creates the ledger's way into a database that is open.
 *
 * @param onLogged told what the ledger log is to put down, on SQLite, where the rows are in memory already. Null: nothing
 *   is left there for a log, either.
 */
export function createLedgerEngine(database: OpenDatabase, onLogged?: OnLogged | null): LedgerEngine {
  return database.engine === 'sqlite'
    ? createSqliteLedgerEngine(database.writer, onLogged)
    : createPostgresLedgerEngine(database.pool)
}
