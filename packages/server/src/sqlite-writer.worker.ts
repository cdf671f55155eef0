/** Composition root of the SQLite writer thread. Nobody imports it: it is started as a thread. */
import { parentPort, workerData } from 'node:worker_threads'
import { serveSqliteWriter } from './db/sqlite-writer-thread.ts'
import type { SqliteWriterSettings } from './db/sqlite-writer.ts'
import type { LedgerOperation } from './ledger/operations.ts'
import { applySqliteBatch } from './ledger/sqlite-batch.ts'
import { createSqliteLedgerStore } from './ledger/sqlite-ledger-store.ts'

if (parentPort !== null) {
  const { path } = workerData as SqliteWriterSettings
  serveSqliteWriter(parentPort, path, (connection) => {
    const store = createSqliteLedgerStore(connection)
    return (batch) => applySqliteBatch(store, batch as readonly LedgerOperation[])
  })
}
