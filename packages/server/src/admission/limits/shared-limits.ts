/** The limits of keys, accounts and people where several processes share them on one PostgreSQL. */
import type { LimitMetrics } from '../../telemetry/metrics/limit-metrics.ts'
import type { MonotonicClock, SystemClock } from '../../platform/runtime/clock.ts'
import type { Logger } from '../../platform/runtime/log.ts'
import { type LimitCounters, STREAMS } from './limit-counters.ts'
import type { LimitStore } from './limit-store.ts'
import { SharedCallQuota } from './shared-call-quota.ts'
import { SharedRateLimiter } from './shared-rate-limiter.ts'
import { SharedStreamSlots } from './shared-stream-slots.ts'
import { StoreLink } from './store-link.ts'
import { TokenExchange } from './token-exchange.ts'

export interface SharedLimitsDeps {
  readonly store: LimitStore
  readonly clock: SystemClock
  readonly log: Pick<Logger, 'warn' | 'info'>
  /** Null where metrics are off. */
  readonly metrics: LimitMetrics | null
  readonly processId: string
  /** How many processes share the database, by their leases. */
  readonly countProcesses: () => Promise<number>
  /** The processes that were gone when they were counted last. */
  readonly gone: () => ReadonlySet<string>
  readonly pause: (milliseconds: number) => Promise<void>
  /** How long an answer of the store may take, in milliseconds. */
  readonly answerMs: number
}

/** How often it is counted how many processes there are, in milliseconds. Source: own choice. */
const COUNT_MS = 5_000
/** How often rows that say nothing any more are removed, in milliseconds. Source: own choice. */
const FORGET_MS = 60_000

/** Opens the limits that processes share. Source: decision 0063. */
export function openSharedLimits(deps: SharedLimitsDeps): LimitCounters {
  const { store, clock, log, metrics, processId, gone, pause } = deps
  const link = new StoreLink({ log, metrics, probe: () => store.probe(), answerMs: deps.answerMs })
  let processes = 1
  const share = (): number => processes
  const exchange = new TokenExchange({ store, link, clock, share })
  const rates: SharedRateLimiter[] = []
  const slots: SharedStreamSlots[] = []
  const isDue = everySoOften(clock)
  const count = async (): Promise<void> => {
    const counted = await link.ask(async () => ({ processes: await deps.countProcesses() }))
    processes = Math.max(1, counted?.processes ?? processes)
  }
  return {
    rate: (kind) => {
      const onRefused = (): void => metrics?.refused(kind.kind)
      const limit = new SharedRateLimiter({ exchange, link, clock, share, onRefused }, kind)
      rates.push(limit)
      return limit
    },
    calls: (kind, windows) =>
      new SharedCallQuota({ store, link, clock, share, onRefused: () => metrics?.refused(kind) }, kind, windows),
    streams: (limits) => {
      const onRefused = (): void => metrics?.refused(STREAMS)
      const limit = new SharedStreamSlots({ store, link, processId, gone, share, onRefused, pause }, limits)
      slots.push(limit)
      return limit
    },
    tick: async () => {
      if (await link.probe()) for (const each of slots) each.notifyAll()
      if (link.isDown) return
      for (const rate of rates) rate.tidy(clock.now())
      if (isDue('count', COUNT_MS)) await count()
      await exchange.flush()
      if (isDue('forget', FORGET_MS)) await store.forget(clock.now(), gone())
    },
    close: async () => {
      exchange.close()
      for (const rate of rates) rate.giveBack()
      await exchange.flush()
      for (const each of slots) await each.flush()
    },
  }
}

/** Says whether the time of a task has come; it has at first. */
function everySoOften(clock: MonotonicClock): (task: string, everyMs: number) => boolean {
  const doneAt = new Map<string, number>()
  return (task, everyMs) => {
    const now = clock.elapsed()
    const last = doneAt.get(task)
    if (last !== undefined && now - last < everyMs) return false
    doneAt.set(task, now)
    return true
  }
}
