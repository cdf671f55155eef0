import { Gauge, type Registry } from 'prom-client'
import { createTallyCounter } from './tally.ts'

/** What a paid request may wait for. */
const WAITS = ['event_loop', 'ledger', 'upstream'] as const
type Wait = (typeof WAITS)[number]

/** Places of an upstream that takes so many calls at a time. */
export interface SlotsFigure {
  readonly upstream: string
  readonly running: number
  readonly waiting: number
}

/** How long a new request would wait now, in seconds; the upstreams' places beside it. */
export interface WaitingFigures {
  readonly seconds: Readonly<Record<'event_loop' | 'ledger', number>>
  readonly slots: readonly SlotsFigure[]
}

/** Takes down what overload does. */
export interface OverloadMetrics {
  /** A paid request was refused since it would have waited too long. */
  refused(waitsFor: Wait): void
  setWaiting(figures: WaitingFigures): void
}

/** Registers the metrics of overload. */
export function createOverloadMetrics(registry: Registry): OverloadMetrics {
  const refusals = createTallyCounter(registry, {
    name: 'svc_overload_refusals_total',
    help: 'Paid requests that were refused because they would have waited too long, by what they would have waited for.',
    labels: ['waits_for'],
  })
  // There from the start, so that the first refusal is seen as a rise.
  const cells = Object.fromEntries(WAITS.map((wait) => [wait, refusals.cell(wait)]))
  const expected = new Gauge({
    name: 'svc_waiting_expected_seconds',
    help: 'How long a paid request that comes now would wait in this process.',
    labelNames: ['waits_for'],
    registers: [registry],
  })
  const slots = new Gauge({
    name: 'svc_upstream_turns',
    help: 'Calls to an upstream that takes so many at a time: those that run, and those that wait for a turn.',
    labelNames: ['upstream', 'state'],
    registers: [registry],
  })
  return {
    refused: (waitsFor) => {
      const cell = cells[waitsFor]
      if (cell !== undefined) cell.value++
    },
    setWaiting: ({ seconds, slots: figures }) => {
      for (const [waits_for, value] of Object.entries(seconds)) expected.set({ waits_for }, value)
      for (const { upstream, running, waiting } of figures) {
        slots.set({ upstream, state: 'running' }, running)
        slots.set({ upstream, state: 'waiting' }, waiting)
      }
    },
  }
}
