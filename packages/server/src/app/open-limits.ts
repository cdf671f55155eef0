/** Opens the limits of callers, where they are counted on this storage. Part of the composition. */
import { setTimeout as pauseFor } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import type { OpenDatabase } from '../platform/db/open-database.ts'
import { countProcesses } from '../money/ledger/count-processes.ts'
import type { LeaseObserver } from '../money/ledger/lease-observer.ts'
import { type LimitCounters, createOwnLimits } from '../admission/limits/limit-counters.ts'
import { createLimitStore } from '../admission/limits/limit-store.ts'
import { openSharedLimits } from '../admission/limits/shared-limits.ts'
import type { LimitMetrics } from '../telemetry/metrics/limit-metrics.ts'
import type { SystemClock } from '../platform/runtime/clock.ts'
import type { Logger } from '../platform/runtime/log.ts'

export interface LimitParts {
  readonly database: OpenDatabase
  readonly clock: SystemClock
  readonly log: Logger
  readonly processId: string
  readonly leases: LeaseObserver
  readonly config: Pick<Config, 'limits'>
  /** Null where metrics are off. */
  readonly metrics: LimitMetrics | null
}

/** Embedded storage has one process, which counts in its memory; on PostgreSQL there may be more, which share. */
export function openLimits({ config, database, clock, log, processId, leases, metrics }: LimitParts): LimitCounters {
  if (database.engine === 'sqlite') return createOwnLimits(clock, metrics)
  return openSharedLimits({
    ...{ clock, log, processId, metrics },
    store: createLimitStore(database.pool),
    countProcesses: () => countProcesses(database, leases, processId),
    gone: () => leases.gone,
    answerMs: config.limits.sharedLimitsMs,
    pause: (milliseconds) => pauseFor(milliseconds),
  })
}
