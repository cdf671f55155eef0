/** CPU of a request for media against the bare proxy, which hands the same bytes on, or writes the same JSON again. */
import type { BenchContext } from '../bench-context.ts'
import { startStub, withPair } from '../bench-rig.ts'
import { calibrateRate } from '../calibrate.ts'
import type { LoadWork } from '../load-order.ts'
import { cpuRatio, resultOf, takePairs } from '../pairs.ts'
import type { RowResult } from '../row.ts'
import type { Side } from '../side.ts'
import { cpuNote } from './billed-request.ts'

const paths: Readonly<Record<Exclude<LoadWork, 'chat'>, string>> = {
  image: '/v1/images/generations',
  speech: '/v1/audio/speech',
  transcription: '/v1/audio/transcriptions',
  upload: '/v1/audio/transcriptions',
}

/** The same side, asked for media. */
export function mediaSide(side: Side, work: keyof typeof paths): Side {
  const targets = side.targets.map((target) => {
    const prefix = target.path.startsWith('/api/') ? '/api' : ''
    return { ...target, work, path: `${prefix}${paths[work]}` }
  })
  return { ...side, targets }
}

export interface MediaCpu {
  readonly row: number
  readonly work: 'image' | 'speech' | 'transcription'
  readonly connections: number
  readonly figure: string
}

/** Hold, capture, transfer and usage record, all durable, on embedded storage. */
export async function measureMediaCpu(context: BenchContext, what: MediaCpu): Promise<RowResult> {
  const { row, work, connections, figure } = what
  const upstream = await startStub(context)
  return withPair(context, { engine: 'sqlite', upstream, name: `row-${row}` }, async (sides) => {
    const asked = { baseline: mediaSide(sides.baseline, work), candidate: mediaSide(sides.candidate, work) }
    const rate = await calibrateRate(context, asked, connections)
    const { seconds } = context.options
    const pairs = await takePairs(context, asked, { kind: 'whole', connections, seconds, rate })
    return resultOf(pairs, {
      ...{ row, unit: '×', goal: null, figure, valueOf: cpuRatio },
      notesOf: (median) => [cpuNote(median), `at ${rate}/s`],
    })
  })
}
