/** Audits that a page asks for, in a thread of their own. Part of the composition. */
import type { Config } from '../config/config.ts'
import type { Database } from '../platform/db/database.ts'
import type { AuditReport } from '../money/ledger/audit.ts'
import { createAuditRunStore } from '../money/ledger/audit-run-store.ts'
import { type AuditRuns, createAuditRuns } from '../money/ledger/audit-runs.ts'
import type { Clock } from '../platform/runtime/clock.ts'
import type { Logger } from '../platform/runtime/log.ts'
import { runInThread } from './run-in-thread.ts'

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
    run: (signal) => runInThread<AuditReport>(AUDIT_WORKER, auditWork(config), signal),
    onError: (error) => log.error({ err: error }, 'an audit did not come to an end'),
  })
}

function auditWork({
  databaseUrl: url,
  dataDir,
  ledgerLog,
}: Pick<Config, 'databaseUrl' | 'dataDir' | 'ledgerLog'>): AuditWork {
  return { url, dataDir, keyFile: ledgerLog.keyFile }
}
