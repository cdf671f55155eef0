/** Composition root of the overview's thread. It is never imported: it is started as a thread. */
import { parentPort, workerData } from 'node:worker_threads'
import { openDatabase } from '../platform/db/open-database.ts'
import { readOverview } from '../money/billing/read-overview.ts'
import type { OverviewWork } from './open-overviews.ts'

if (parentPort !== null) {
  const { dataDir, span } = workerData as OverviewWork
  const database = await openDatabase({
    ...{ url: null, dataDir, isPatient: true, schema: 'require' },
    checkpointWorker: new URL('sqlite-checkpoint.worker.ts', import.meta.url),
  })
  try {
    parentPort.postMessage(await readOverview(database, span))
  } finally {
    await database.close()
  }
}
