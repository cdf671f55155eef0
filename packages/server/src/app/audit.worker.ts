/**
 * Composition root of the audit's thread: its reads may be long and must hold up no request. It is never imported: it
 * is started as a thread.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { openDatabase } from '../platform/db/open-database.ts'
import { runAudit } from '../money/ledger/audit.ts'
import { systemClock } from '../platform/runtime/clock.ts'
import { moreInvariants } from './audit-sources.ts'
import type { AuditWork } from './open-audits.ts'

if (parentPort !== null) {
  const { url, dataDir, keyFile } = workerData as AuditWork
  const database = await openDatabase({
    ...{ url, dataDir, isPatient: true, schema: 'require' },
    checkpointWorker: new URL('sqlite-checkpoint.worker.ts', import.meta.url),
  })
  try {
    parentPort.postMessage(await runAudit(database, systemClock, moreInvariants({ keyFile, dataDir })))
  } finally {
    await database.close()
  }
}
