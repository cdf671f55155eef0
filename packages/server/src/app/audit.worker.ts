/**
 * Composition root of the audit's thread: its reads may be long and must hold up no request. It is never imported: it
 * is started as a thread.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { openDatabase } from '../platform/db/open-database.ts'
import { runAudit } from '../money/ledger/audit.ts'

if (parentPort !== null) {
  const { url, dataDir } = workerData as { readonly url: string | null; readonly dataDir: string }
  const database = await openDatabase({
    ...{ url, dataDir, isPatient: true, schema: 'require' },
    checkpointWorker: new URL('sqlite-checkpoint.worker.ts', import.meta.url),
  })
  try {
    parentPort.postMessage(await runAudit(database))
  } finally {
    await database.close()
  }
}
