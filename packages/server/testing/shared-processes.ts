/** Several processes' worth of shared limits on one PostgreSQL, with a clock that tests move. */
import type { PostgresDatabase } from '../src/platform/db/postgres-database.ts'
import { countProcesses } from '../src/money/ledger/count-processes.ts'
import { LeaseObserver } from '../src/money/ledger/lease-observer.ts'
import { startLease } from '../src/money/ledger/orphans.ts'
import type { LimitCounters } from '../src/admission/limits/limit-counters.ts'
import { createLimitStore, type LimitStore } from '../src/admission/limits/limit-store.ts'
import { openSharedLimits } from '../src/admission/limits/shared-limits.ts'
import type { LimitMetrics } from '../src/telemetry/metrics/limit-metrics.ts'
import type { SystemClock } from '../src/platform/runtime/clock.ts'
import { openTestDatabase } from './test-database.ts'

/** What a process of a test has of its own. */
export interface SharedProcess {
  readonly limits: LimitCounters
  readonly processId: string
  /** What it has logged. */
  readonly logged: string[]
}

export interface SharedProcessOptions {
  /** The store as the process sees it; the real one by default. */
  readonly store?: (real: LimitStore) => LimitStore
  readonly metrics?: LimitMetrics
  readonly answerMs?: number
  readonly pause?: (milliseconds: number) => Promise<void>
  /** What time it is for this process; the stage's clock by default. */
  readonly clock?: SystemClock
}

export interface SharedProcesses {
  readonly clock: SystemClock & { time: number }
  readonly database: PostgresDatabase
  /** Begins a process with a lease of a minute. */
  start(options?: SharedProcessOptions): Promise<SharedProcess>
  /** Ends the leases of all that were begun, as processes do that stop in order. */
  endLeases(): Promise<void>
  close(): Promise<void>
}

const LEASE_MS = 60_000
/** Longer than any machine of a test stalls. */
const ANSWER_MS = 20_000

/** Opens a database for processes that share their limits. Only where there is PostgreSQL. */
export async function openSharedProcesses(): Promise<SharedProcesses> {
  const test = await openTestDatabase('postgres')
  const { database } = test
  if (database.engine !== 'postgres') throw new Error('limits are shared on PostgreSQL alone')
  const shared = { time: 1_800_000_000_000, now: () => shared.time, elapsed: () => shared.time }
  let started = 0
  return {
    clock: shared,
    database,
    async start(options = {}) {
      const clock = options.clock ?? shared
      const processId = `process-${++started}`
      await startLease(database, { processId, nodeName: processId }, clock.now(), LEASE_MS)
      const leases = new LeaseObserver({ clock, leaseMs: LEASE_MS })
      const real = createLimitStore(database.pool)
      const logged: string[] = []
      const limits = openSharedLimits({
        ...{ clock, processId },
        store: options.store?.(real) ?? real,
        metrics: options.metrics ?? null,
        log: { warn: note(logged), info: note(logged) },
        countProcesses: () => countProcesses(database, leases, processId),
        gone: () => leases.gone,
        pause: options.pause ?? (() => Promise.resolve()),
        answerMs: options.answerMs ?? ANSWER_MS,
      })
      await limits.tick()
      return { limits, processId, logged }
    },
    async endLeases() {
      await database.pool.query('update process_lease set lease_until = 0')
    },
    close: () => test.close(),
  }
}

/** A logger's method that keeps what it gets. */
function note(logged: string[]): (...told: readonly unknown[]) => void {
  return (...told) => void logged.push(String(told.at(-1)))
}
