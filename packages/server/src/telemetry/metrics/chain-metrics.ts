import { Gauge, type Registry } from 'prom-client'
import { createTallyCounter } from './tally.ts'

/** What is looked at of a chain at each scrape. */
export interface ChainFigures {
  readonly chainId: number
  readonly latest: number
  readonly finalized: number
  /** Final blocks that the watcher has not looked through yet. */
  readonly lagBlocks: number
  /** Seconds since the last round that ended well; null in a process that does not watch. */
  readonly ageSeconds: number | null
  readonly failures: number
}

/** Takes down what happens with deposits. */
export interface ChainMetrics {
  /** A question to a provider, by its place in the configuration. */
  asked(chainId: number, provider: string, outcome: string): void
  credited(chainId: number, asset: string): void
  heldBack(chainId: number): void
  /** Has the chains looked at in every scrape. */
  watch(read: () => readonly ChainFigures[]): void
}

interface ChainGauge {
  readonly name: string
  readonly help: string
  readonly value: (figures: ChainFigures) => number | null
}

const gauges: readonly ChainGauge[] = [
  { name: 'svc_chain_latest_block', help: 'Newest block that the watcher has seen.', value: ({ latest }) => latest },
  {
    name: 'svc_chain_final_block',
    help: 'Last final block that the watcher has seen.',
    value: ({ finalized }) => finalized,
  },
  {
    name: 'svc_chain_watch_lag_blocks',
    help: 'Final blocks not looked through yet.',
    value: ({ lagBlocks }) => lagBlocks,
  },
  {
    name: 'svc_chain_watch_age_seconds',
    help: 'Time since the last round of the watcher that ended well; absent where another process watches.',
    value: ({ ageSeconds }) => ageSeconds,
  },
  { name: 'svc_chain_watch_failures', help: 'Rounds in a row that failed.', value: ({ failures }) => failures },
]

/** Registers the metrics of chains and deposits. */
export function createChainMetrics(registry: Registry): ChainMetrics {
  const asked = createTallyCounter(registry, {
    name: 'svc_chain_questions_total',
    help: 'Questions to providers: ok, refused, or unavailable.',
    labels: ['chain', 'provider', 'outcome'],
  })
  const credited = createTallyCounter(registry, {
    name: 'svc_deposits_credited_total',
    help: 'Deposits that this process has credited.',
    labels: ['chain', 'asset'],
  })
  const heldBack = createTallyCounter(registry, {
    name: 'svc_deposits_under_review_total',
    help: 'Deposits that were left to an operator.',
    labels: ['chain'],
  })
  let read: () => readonly ChainFigures[] = () => []
  for (const { name, help, value } of gauges) {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames: ['chain'],
      registers: [registry],
      collect: () => {
        gauge.reset()
        for (const figures of read()) {
          const shown = value(figures)
          if (shown !== null) gauge.set({ chain: `${figures.chainId}` }, shown)
        }
      },
    })
  }
  return {
    asked: (chainId, provider, outcome) => void asked.cell(`${chainId}`, provider, outcome).value++,
    credited: (chainId, asset) => void credited.cell(`${chainId}`, asset).value++,
    heldBack: (chainId) => void heldBack.cell(`${chainId}`).value++,
    watch: (source) => {
      read = source
    },
  }
}
