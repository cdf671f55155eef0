import type { ReconciliationReport } from './report.ts'

/** A reconciliation of one day with one upstream's figures. */
export interface ReconciliationRun {
  readonly runId: string
  readonly upstream: string
  readonly day: string
  readonly startedAt: number
  readonly startedBy: string
  /** Null while it runs. */
  readonly endedAt: number | null
  /** Null while it runs, and where it came to no verdict. */
  readonly differences: number | null
  /** Why it came to no verdict. */
  readonly failure: string | null
}

export type NewReconciliation = Pick<ReconciliationRun, 'runId' | 'upstream' | 'day' | 'startedAt' | 'startedBy'> & {
  readonly leaseUntil: number
}

export type ReconciliationEnd =
  | { readonly report: ReconciliationReport; readonly differences: number }
  | { readonly failure: string }

export interface ReconciliationStore {
  /** Ends runs whose lease is over, and begins one. Returns false while another of the upstream runs. */
  begin(run: NewReconciliation): Promise<boolean>
  end(runId: string, end: ReconciliationEnd, at: number): Promise<void>
  /** Newest first, without their reports, which are long. */
  list(
    limit: number,
    filter?: { readonly upstream?: string; readonly day?: string },
  ): Promise<readonly ReconciliationRun[]>
  /** Null where there is none, and where it came to no verdict. */
  findReport(runId: string): Promise<ReconciliationReport | null>
}
