import { Gauge, type Registry } from 'prom-client'
import { REQUEST_BOUNDS } from './http-metrics.ts'
import { createTallyCounter, createTallyHistogram, type Distribution, type Tally } from './tally.ts'
import { type UpstreamOperation, upstreamOperations } from './upstream-operations.ts'

const OPERATIONS = Object.keys(upstreamOperations) as UpstreamOperation[]

/** How a call ended: `stopped` was ended by us, because the caller left, the key was revoked, or the gateway stops. */
export type CallOutcome = 'ok' | 'failed' | 'stopped'

/** A call that runs. */
export interface RunningCall {
  /**
   * Ends it; what comes after the first end is ignored.
   * @param failure how it failed, for `failed`; null otherwise.
   */
  end(outcome: CallOutcome, failure: string | null): void
}

/** Takes down the calls to one upstream. */
export interface UpstreamMetrics {
  /** @param key the name of the key that makes it; null where the upstream has one alone. */
  begin(operation: UpstreamOperation, key: string | null): RunningCall
}

interface OperationCells {
  readonly outcomes: Readonly<Record<CallOutcome, Tally>>
  readonly duration: Distribution
}

/** Registers the metrics of upstreams. @returns what takes down the calls to one, by its configured name. */
export function createUpstreamMetrics(registry: Registry): (upstream: string) => UpstreamMetrics {
  const calls = createTallyCounter(registry, {
    name: 'svc_upstream_calls_total',
    help: 'Calls that ended: ok, failed, or stopped by us.',
    labels: ['upstream', 'operation', 'outcome'],
  })
  const failures = createTallyCounter(registry, {
    name: 'svc_upstream_failures_total',
    help: 'Calls that failed, by kind of failure.',
    labels: ['upstream', 'kind'],
  })
  const byKey = createTallyCounter(registry, {
    name: 'svc_upstream_key_calls_total',
    help: 'Calls that ended, of upstreams with several keys, by the name of the key.',
    labels: ['upstream', 'key', 'outcome'],
  })
  const duration = createTallyHistogram(
    registry,
    {
      name: 'svc_upstream_call_duration_seconds',
      help: 'From a call to its end, streams included.',
      labels: ['upstream', 'operation'],
    },
    REQUEST_BOUNDS,
  )
  const inFlight = new Map<string, Tally>()
  const gauge: Gauge = new Gauge({
    name: 'svc_upstream_calls_in_flight',
    help: 'Calls that run.',
    labelNames: ['upstream'],
    registers: [registry],
    collect: () => {
      for (const [upstream, { value }] of inFlight) gauge.set({ upstream }, value)
    },
  })
  return (upstream) => {
    const running: Tally = { value: 0 }
    inFlight.set(upstream, running)
    // There from the start, so that the first is seen as a rise: an operator is woken by it.
    failures.cell(upstream, 'our_account')
    const cellsOf = (operation: UpstreamOperation): OperationCells => ({
      outcomes: {
        ok: calls.cell(upstream, operation, 'ok'),
        failed: calls.cell(upstream, operation, 'failed'),
        stopped: calls.cell(upstream, operation, 'stopped'),
      },
      duration: duration.cell(upstream, operation),
    })
    const operations = new Map(OPERATIONS.map((operation) => [operation, cellsOf(operation)]))
    return {
      begin: (operation, key) => {
        const startedMs = performance.now()
        const cells = operations.get(operation) ?? cellsOf(operation)
        let hasEnded = false
        running.value++
        return {
          end: (outcome, failure) => {
            if (hasEnded) return
            hasEnded = true
            running.value--
            cells.outcomes[outcome].value++
            if (key !== null) byKey.cell(upstream, key, outcome).value++
            cells.duration.observe((performance.now() - startedMs) / 1_000)
            if (failure !== null) failures.cell(upstream, failure).value++
          },
        }
      },
    }
  }
}
