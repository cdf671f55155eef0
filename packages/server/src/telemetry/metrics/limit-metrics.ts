import { Gauge, type Registry } from 'prom-client'
import { createTallyCounter, createTallyHistogram } from './tally.ts'

/** Takes down what the limits of callers do. */
export interface LimitMetrics {
  /** A caller was refused. @param limit which one, by its name in the code. */
  refused(limit: string): void
  /** The store that processes share was asked. */
  exchanged(outcome: 'ok' | 'failed', seconds: number): void
  /** The store does not answer any more, or does again. */
  setDown(isDown: boolean): void
}

/** Seconds. The longest is how long a request waits at most. Source: decision 0063. */
const EXCHANGE_BOUNDS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25] as const

/** Registers the metrics of the limits. */
export function createLimitMetrics(registry: Registry): LimitMetrics {
  const refusals = createTallyCounter(registry, {
    name: 'svc_limit_refusals_total',
    help: 'Calls that came too soon, by the limit that refused them.',
    labels: ['limit'],
  })
  const exchanges = createTallyHistogram(
    registry,
    {
      name: 'svc_limit_exchange_duration_seconds',
      help: 'Questions to the limits that processes share, by outcome: ok, failed (or too slow).',
      labels: ['outcome'],
    },
    EXCHANGE_BOUNDS,
  )
  const outages = createTallyCounter(registry, {
    name: 'svc_limit_outages_total',
    help: 'Times at which limits could not be shared any more.',
    labels: [],
  }).cell()
  const down = new Gauge({
    name: 'svc_limit_store_down',
    help: '1 while each process applies its part of the limits, because they cannot be shared.',
    registers: [registry],
  })
  return {
    refused: (limit) => void refusals.cell(limit).value++,
    exchanged: (outcome, seconds) => exchanges.cell(outcome).observe(seconds),
    setDown: (isDown) => {
      if (isDown) outages.value++
      down.set(isDown ? 1 : 0)
    },
  }
}
