/** Audits beside a gateway that runs: one at a time over all its processes, each within a time, the last ones kept. */
import type { Clock } from '../../platform/runtime/clock.ts'
import { createId } from '../../platform/runtime/ids.ts'
import type { AuditReport } from './audit.ts'
import type { AuditRunStore } from './audit-run-store.ts'

/** A run takes so long at most, in milliseconds. Source: own choice. */
export const AUDIT_MAX_MS = 600_000
/** Another process waits so much longer before it gives a run up: clocks differ. */
const GRACE_MS = 60_000

export interface AuditRunsDeps {
  readonly store: AuditRunStore
  readonly clock: Clock
  /** Runs one apart from the requests, and ends it when the signal says so. */
  readonly run: (signal: AbortSignal) => Promise<AuditReport>
  /** Called when an audit did not finish. */
  readonly onError: (error: unknown) => void
}

/** How the last audits fared. */
export interface AuditState {
  /** Null when none runs. */
  readonly running: { readonly startedAt: number; readonly startedBy: string } | null
  /** Null where none has come to its end yet. */
  readonly last: {
    readonly startedAt: number
    readonly endedAt: number
    readonly startedBy: string
    readonly report: AuditReport
  } | null
  /** Why the newest did not come to an end; null where it did, or runs. */
  readonly failure: string | null
}

/** What is known of the last audits at a glance. */
export interface AuditGlance {
  /** When the last that reached a verdict ended, and what it found; null where none is kept. */
  readonly last: { readonly endedAt: number; readonly breaches: number } | null
  /** Whether the newest that has ended came to no verdict. */
  readonly isUnfinished: boolean
}

export interface AuditRuns {
  /** Begins one in the background. Returns false when one runs already. */
  start(by: string): Promise<boolean>
  /**
   * Begins one unless one was begun within so many milliseconds, by whomever and in whichever process. What did not come
   * to a verdict counts as one: a store that is too large for an audit is not read without end.
   */
  startIfOlder(by: string, ageMs: number): Promise<boolean>
  glance(): Promise<AuditGlance>
  state(): Promise<AuditState>
  /** Ends one that this process has begun, and takes no more. */
  close(): Promise<void>
}

const LOOKED_AT = 10

/** Makes what starts audits and remembers them. */
export function createAuditRuns({ store, clock, run, onError }: AuditRunsDeps): AuditRuns {
  const stopping = new AbortController()
  let working: Promise<void> = Promise.resolve()
  const work = async (runId: string): Promise<void> => {
    try {
      const report = await run(AbortSignal.any([stopping.signal, AbortSignal.timeout(AUDIT_MAX_MS)]))
      const end = { report: JSON.stringify(report), breaches: report.breaches, failure: null }
      await store.end(runId, end, clock.now())
    } catch (error) {
      // The one who stops the gateway knows; only what else ends an audit is a fault.
      const isStopped = stopping.signal.aborted
      if (!isStopped) onError(error)
      const failure = isStopped ? 'The gateway stopped meanwhile.' : 'It did not come to an end. The log says why.'
      await store.end(runId, { report: null, breaches: null, failure }, clock.now())
    }
  }
  const start = async (by: string): Promise<boolean> => {
    const now = clock.now()
    const runId = createId(now)
    const leaseUntil = now + AUDIT_MAX_MS + GRACE_MS
    if (!(await store.begin({ runId, startedAt: now, startedBy: by, leaseUntil }))) return false
    working = work(runId).catch(onError)
    return true
  }
  return {
    start,
    async startIfOlder(by, ageMs) {
      const [newest] = await store.listVerdicts(1)
      // A time that is still to come was written while a clock was ahead.
      const age = newest === undefined ? Infinity : Math.abs(clock.now() - newest.startedAt)
      return age >= ageMs && (await start(by))
    },
    async glance() {
      const ended = (await store.listVerdicts(LOOKED_AT)).filter(({ endedAt }) => endedAt !== null)
      const done = ended.find(({ breaches }) => breaches !== null)
      return {
        last: done === undefined ? null : { endedAt: done.endedAt ?? done.startedAt, breaches: done.breaches ?? 0 },
        isUnfinished: ended.length > 0 && ended[0]?.breaches === null,
      }
    },
    async state() {
      const runs = await store.list(LOOKED_AT)
      const [newest] = runs
      const open = newest !== undefined && newest.endedAt === null ? newest : null
      const done = runs.find(({ report }) => report !== null)
      return {
        running: open === null ? null : { startedAt: open.startedAt, startedBy: open.startedBy },
        last:
          done === undefined || done.report === null
            ? null
            : {
                ...{ startedAt: done.startedAt, endedAt: done.endedAt ?? done.startedAt, startedBy: done.startedBy },
                report: JSON.parse(done.report) as AuditReport,
              },
        failure: newest?.failure ?? null,
      }
    },
    async close() {
      stopping.abort(new Error('the gateway stops'))
      await working
    },
  }
}
