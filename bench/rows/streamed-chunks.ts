import { startStub, withPair } from '../bench-rig.ts'
import { cpuRatio, resultOf, takePairs } from '../pairs.ts'
import type { Row } from '../row.ts'
import { sampleSide } from '../side.ts'
import { warmUp } from '../warm-up.ts'

const GAP_MS = 20

/**
 * The whole stream's CPU, its hold and capture included, by its chunks. Source of the goal: docs/benchmark.md, row 4.
 */
export const streamedChunks: Row = {
  number: 4,
  title: 'CPU per streamed chunk',
  async measure(context) {
    const { streams, chunks } = context.options.scale
    const upstream = await startStub(context, { chunks, gapMs: GAP_MS })
    const streamMs = chunks * GAP_MS
    const { seconds } = context.options
    const order = { kind: 'streams', connections: streams, seconds, spreadMs: streamMs } as const
    return withPair(context, { engine: 'sqlite', upstream, name: 'row-4' }, async (sides) => {
      await warmUp(context, sides, order)
      for (const side of [sides.baseline, sides.candidate]) await sampleSide(context, side, order)
      const pairs = await takePairs(context, sides, order)
      const result = resultOf(pairs, {
        ...{ row: 4, unit: '×', goal: 1.3, valueOf: cpuRatio },
        figure: `CPU per streamed chunk, ${streams} streams of ${chunks} chunks ${GAP_MS} ms apart`,
        notesOf: (median) => {
          const full = median(({ candidate }) => candidate.cpuUs) / chunks
          const bare = median(({ baseline }) => baseline.cpuUs) / chunks
          const perSecond = median(({ candidate }) => candidate.perSecond) * chunks
          return [
            `${full.toFixed(1)} µs against ${bare.toFixed(1)} µs per chunk, hold and capture included`,
            `${perSecond.toFixed(0)} chunks/s`,
          ]
        },
      })
      return [result]
    })
  },
}
