/** Composition root of the SQLite writer thread. Nobody imports it: it is started as a thread. */
import { parentPort, workerData } from 'node:worker_threads'
import { serveSqliteWriter } from './db/sqlite-writer-thread.ts'
import type { SqliteWriterSettings } from './db/sqlite-writer.ts'
import { createSqliteBatches } from './ledger/sqlite-batch.ts'
import { readBatchText, writeResultsText } from './ledger/sqlite-batch-text.ts'
import { createSqliteLedgerStore } from './ledger/sqlite-ledger-store.ts'

if (parentPort !== null) {
  const { path } = workerData as SqliteWriterSettings
  serveSqliteWriter(parentPort, path, (connection) => {
    const batches = createSqliteBatches(createSqliteLedgerStore(connection))
    return {
      apply: (batch) => writeResultsText(batches.apply(readBatchText(batch))),
      forget: () => batches.forget(),
    }
  })
}
