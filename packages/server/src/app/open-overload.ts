/** Opens what refuses new paid requests while they would wait too long. Part of the composition. */
import { WaitingBound } from '../admission/overload/waiting-bound.ts'
import type { Config } from '../config/config.ts'
import type { Ledger } from '../money/ledger/ledger.ts'
import { type LoopDelay, watchLoopDelay } from '../platform/runtime/loop-delay.ts'
import type { OverloadMetrics, WaitingFigures } from '../telemetry/metrics/overload-metrics.ts'
import type { WatchedUpstream } from '../upstreams/watch-health.ts'

export interface OverloadParts {
  readonly config: Pick<Config, 'limits'>
  readonly ledger: Pick<Ledger, 'waitMs'>
  /** Null where metrics are off. */
  readonly metrics: OverloadMetrics | null
}

/** Begins to look at how late the event loop is; `loopDelay` ends that. */
export function openOverload({ config, ledger, metrics }: OverloadParts): {
  readonly overload: WaitingBound
  readonly loopDelay: LoopDelay
} {
  const loopDelay = watchLoopDelay()
  const overload = new WaitingBound({
    get mostMs() {
      return config.limits.waitingMs
    },
    loopMs: () => loopDelay.ms,
    ledgerMs: () => ledger.waitMs,
    onRefused: (waitsFor) => metrics?.refused(waitsFor),
  })
  return { overload, loopDelay }
}

/** What waits now, for metrics. */
export function waitingFigures(
  overload: Pick<WaitingBound, 'expectedMs'>,
  upstreams: ReadonlyMap<string, Pick<WatchedUpstream, 'name' | 'slots'>>,
): WaitingFigures {
  const { event_loop: loop, ledger } = overload.expectedMs()
  return {
    seconds: { event_loop: loop / 1_000, ledger: ledger / 1_000 },
    slots: [...upstreams.values()].flatMap(({ name, slots }) =>
      slots === null ? [] : [{ upstream: name, running: slots.running, waiting: slots.waiting }],
    ),
  }
}
