import type { OpenDatabase } from '../../platform/db/open-database.ts'
import type { LedgerEngine } from './ledger-engine.ts'
import { createPostgresLedgerEngine } from './postgres-ledger-engine.ts'
import { createSqliteLedgerEngine } from './sqlite-ledger-engine.ts'

/** Creates the ledger's way into a database that is open. */
export function createLedgerEngine(database: OpenDatabase): LedgerEngine {
  return database.engine === 'sqlite'
    ? createSqliteLedgerEngine(database.writer)
    : createPostgresLedgerEngine(database.pool)
}
