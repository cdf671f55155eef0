import type { Registry } from 'prom-client'
import { createTallyCounter } from './tally.ts'

/** Takes down attempts of requests of every kind that are repeated. */
export interface RepeatMetrics {
  /** An attempt at one upstream is repeated: at another, or there once more. */
  repeated(from: string, to: string, reason: 'fallback' | 'retry'): void
}

/** Registers the metric. */
export function createRepeatMetrics(registry: Registry): RepeatMetrics {
  const repeats = createTallyCounter(registry, {
    name: 'svc_upstream_repeats_total',
    help: 'Attempts that failed without a bill and were repeated: fallback at another upstream, retry at the same.',
    labels: ['from', 'to', 'reason'],
  })
  return {
    repeated: (from, to, reason) => {
      repeats.cell(from, to, reason).value++
    },
  }
}
