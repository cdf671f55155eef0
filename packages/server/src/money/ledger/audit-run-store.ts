import { isUniqueViolation } from '../../platform/db/database-failure.ts'
import type { Database } from '../../platform/db/database.ts'

/** An audit that was asked for. */
export interface AuditRun {
  readonly runId: string
  readonly startedAt: number
  readonly startedBy: string
  readonly endedAt: number | null
  readonly breaches: number | null
  /** JSON text of the report; null while it runs, and where it failed. */
  readonly report: string | null
  readonly failure: string | null
}

/** How an audit ended; nothing has ended while `endedAt` is null. */
export type AuditVerdict = Pick<AuditRun, 'startedAt' | 'endedAt' | 'breaches'>

export interface NewAuditRun {
  readonly runId: string
  readonly startedAt: number
  readonly startedBy: string
  readonly leaseUntil: number
}

export type AuditRunEnd =
  | { readonly report: string; readonly breaches: number; readonly failure: null }
  | { readonly report: null; readonly breaches: null; readonly failure: string }

export interface AuditRunStore {
  /** Ends runs whose lease is over, and begins one. Returns false when another runs. */
  begin(run: NewAuditRun): Promise<boolean>
  end(runId: string, end: AuditRunEnd, at: number): Promise<void>
  /** Newest first. */
  list(limit: number): Promise<readonly AuditRun[]>
  /** The same without the reports, which are long. */
  listVerdicts(limit: number): Promise<readonly AuditVerdict[]>
}

/** Ended runs that are kept. */
const KEPT = 50

/** Makes the store of audits that were asked for. */
export function createAuditRunStore(database: Database): AuditRunStore {
  const { read } = database
  const newest = (limit: number) =>
    read
      .selectFrom('audit_run')
      .select(['run_id as runId', 'started_at as startedAt', 'started_by as startedBy', 'ended_at as endedAt'])
      .select(['breaches', 'report', 'failure'])
      .orderBy('run_id', 'desc')
      .limit(limit)
  return {
    async begin({ runId, startedAt, startedBy, leaseUntil }) {
      const abandon = read
        .updateTable('audit_run')
        .set({ ended_at: startedAt, failure: 'It took too long, or its process ended.' })
        .where('ended_at', 'is', null)
        .where('lease_until', '<', startedAt)
      const insert = read
        .insertInto('audit_run')
        .values({ run_id: runId, started_at: startedAt, started_by: startedBy, lease_until: leaseUntil })
      const oldest = (await newest(KEPT).execute()).at(KEPT - 1)
      const forget = read
        .deleteFrom('audit_run')
        .where('run_id', '<', oldest?.runId ?? '')
        .where('ended_at', 'is not', null)
      try {
        await database.write([abandon.compile(), forget.compile(), insert.compile()])
        return true
      } catch (error) {
        if (isUniqueViolation(error)) return false
        throw error
      }
    },
    async end(runId, { report, breaches, failure }, at) {
      const statement = read
        .updateTable('audit_run')
        .set({ ended_at: at, report, breaches, failure })
        .where('run_id', '=', runId)
        .where('ended_at', 'is', null)
      await database.write([statement.compile()])
    },
    list: (limit) => newest(limit).execute(),
    listVerdicts: (limit) =>
      read
        .selectFrom('audit_run')
        .select(['started_at as startedAt', 'ended_at as endedAt', 'breaches'])
        .orderBy('run_id', 'desc')
        .limit(limit)
        .execute(),
  }
}
