/** Audits that a page asks for, in a thread of their own. Part of the composition. */
import { Worker } from 'node:worker_threads'
import type { Config } from '../config/config.ts'
import type { Database } from '../platform/db/database.ts'
import type { AuditReport } from '../money/ledger/audit.ts'
import { createAuditRunStore } from '../money/ledger/audit-run-store.ts'
import { type AuditRuns, createAuditRuns } from '../money/ledger/audit-runs.ts'
import type { Clock } from '../platform/runtime/clock.ts'
import type { Logger } from '../platform/runtime/log.ts'

const AUDIT_WORKER = new URL('audit.worker.ts', import.meta.url)

/** What is sent to the thread. */
export interface AuditWork {
  readonly url: string | null
  readonly dataDir: string
  /** Of the ledger log. */
  readonly keyFile: string
}

/** Puts the audits of a gateway together. */
export function openAudits(parts: {
  readonly config: Pick<Config, 'databaseUrl' | 'dataDir' | 'ledgerLog'>
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
}): AuditRuns {
  const { config, database, clock, log } = parts
  return createAuditRuns({
    store: createAuditRunStore(database),
    clock,
    run: (signal) =>
      runApart({ url: config.databaseUrl, dataDir: config.dataDir, keyFile: config.ledgerLog.keyFile }, signal),
    onError: (error) => log.error({ err: error }, 'an audit did not come to an end'),
  })
}

/** Runs an audit in a thread. @throws when the thread fails, or the signal ends it. */
function runApart(workerData: AuditWork, signal: AbortSignal): Promise<AuditReport> {
  signal.throwIfAborted()
  const worker = new Worker(AUDIT_WORKER, { workerData })
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      void worker.terminate()
      reject(signal.reason instanceof Error ? signal.reason : new Error('the audit was ended'))
    }
    signal.addEventListener('abort', stop, { once: true })
    let report: AuditReport | null = null
    worker.once('message', (message: AuditReport) => {
      report = message
    })
    worker.once('error', reject)
    worker.once('exit', () => {
      signal.removeEventListener('abort', stop)
      if (report === null) reject(new Error('the thread of the audit ended without a report'))
      else resolve(report)
    })
  })
}
