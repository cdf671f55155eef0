import type { BenchContext } from '../bench-context.ts'
import { type BenchEngine, ENGINE_NAMES, startStub, withPair } from '../bench-rig.ts'
import { measureDiskSync } from '../disk-sync.ts'
import { type Pair, resultOf, takePairs } from '../pairs.ts'
import type { Row, RowResult } from '../row.ts'
import { sampleSide } from '../side.ts'

const CONNECTIONS = 64
/** Longer sides than elsewhere, since at a tenth of saturation few answers come in a second. */
const LONGER = 2

interface Percentile {
  readonly name: string
  readonly valueOf: (pair: Pair) => number
  readonly ofBare: (pair: Pair) => number
  /** What the goal adds to two syncs of the disk, in milliseconds. */
  readonly allowedMs: number
}

const percentiles: readonly Percentile[] = [
  {
    ...{ name: 'p50', allowedMs: 1, ofBare: ({ baseline }) => baseline.p50Ms },
    valueOf: ({ baseline, candidate }) => candidate.p50Ms - baseline.p50Ms,
  },
  {
    ...{ name: 'p99', allowedMs: 5, ofBare: ({ baseline }) => baseline.p99Ms },
    valueOf: ({ baseline, candidate }) => candidate.p99Ms - baseline.p99Ms,
  },
]

/** The gateway's percentile less the bare proxy's at the same rate. Source of the goals: docs/benchmark.md, row 6. */
export const addedLatency: Row = {
  number: 6,
  title: 'Added latency at a tenth of saturation',
  measure: async (context) => [...(await measure(context, 'sqlite')), ...(await measure(context, 'postgres'))],
}

async function measure(context: BenchContext, engine: BenchEngine): Promise<readonly RowResult[]> {
  const upstream = await startStub(context)
  return withPair(context, { engine, upstream, name: `row-6-${engine}` }, async (sides) => {
    const whole = { kind: 'whole', connections: CONNECTIONS } as const
    const { seconds } = context.options
    await sampleSide(context, sides.baseline, { ...whole, seconds, rate: null })
    await sampleSide(context, sides.candidate, { ...whole, seconds, rate: null })
    const { perSecond } = await sampleSide(context, sides.candidate, { ...whole, seconds, rate: null })
    const rate = Math.max(20, Math.round(perSecond / 10))
    context.say(`  saturation ${perSecond.toFixed(0)}/s; measured at ${rate}/s`)
    const syncMs = measureDiskSync(context.children)
    const sideSeconds = LONGER * (engine === 'sqlite' ? seconds : context.options.statedSeconds)
    const pairs = await takePairs(context, sides, { ...whole, seconds: sideSeconds, rate })
    return percentiles.map((percentile) =>
      resultOf(pairs, {
        ...{ row: 6, unit: 'ms', valueOf: percentile.valueOf },
        figure: `added latency ${percentile.name}, ${ENGINE_NAMES[engine]}`,
        goal: engine === 'sqlite' ? percentile.allowedMs + 2 * syncMs : null,
        notesOf: (median) => [
          `bare proxy ${median(percentile.ofBare).toFixed(2)} ms`,
          `fdatasync ${syncMs.toFixed(2)} ms`,
          `at ${rate}/s`,
        ],
      }),
    )
  })
}
