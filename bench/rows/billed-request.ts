/** CPU of a billed whole answer against the bare proxy: what three rows measure on two engines. */
import type { BenchContext } from '../bench-context.ts'
import { type BenchEngine, ENGINE_NAMES, startStub, withBookingProxy, withPair } from '../bench-rig.ts'
import { calibrateRate } from '../calibrate.ts'
import { spreadOf } from '../interval.ts'
import { cpuRatio, type FigureOf, type PairedSides, resultOf, takePairs } from '../pairs.ts'
import type { RowResult } from '../row.ts'
import { type Saturation, saturate } from '../saturation.ts'
import { warmUp } from '../warm-up.ts'

export interface BilledRequest {
  readonly row: number
  readonly engine: BenchEngine
  readonly connections: number
  readonly goal: number | null
}

/** Hold, capture, transfer and usage record, all durable, on a database of its own. */
export async function measureBilledRequest(context: BenchContext, what: BilledRequest): Promise<readonly RowResult[]> {
  const { row, engine, connections, goal } = what
  const upstream = await startStub(context)
  const place = `${ENGINE_NAMES[engine]}, ${connections} connection${connections === 1 ? '' : 's'}`
  const { rate, results } = await withPair(
    context,
    { engine, upstream, name: `row-${row}-${engine}` },
    async (sides) => {
      if (goal !== null) await warmUp(context, sides, { kind: 'whole', connections, seconds: 0, rate: null })
      const rate = await calibrateRate(context, sides, connections)
      const seconds = goal === null ? context.options.statedSeconds : context.options.seconds
      const pairs = await takePairs(context, sides, { kind: 'whole', connections, seconds, rate })
      const scheduled = resultOf(pairs, {
        ...{ row, unit: '×', goal, valueOf: cpuRatio },
        figure: `CPU per billed request, ${place}`,
        notesOf: (median) => [cpuNote(median), `at ${rate}/s`],
      })
      return { rate, results: goal === null ? [scheduled] : [scheduled, await measureSaturated(context, sides, what)] }
    },
  )
  return goal === null ? results : [...results, await measureBooks(context, what, { upstream, rate })]
}

/** What is left of the ratio when a gateway does nothing but proxy and book. */
function measureBooks(
  context: BenchContext,
  { row, engine, connections }: BilledRequest,
  { upstream, rate }: { readonly upstream: string; readonly rate: number },
): Promise<RowResult> {
  return withBookingProxy(context, { engine, upstream }, async (sides) => {
    await warmUp(context, sides, { kind: 'whole', connections, seconds: 0, rate: null })
    const order = { kind: 'whole', connections, seconds: context.options.statedSeconds, rate } as const
    return resultOf(await takePairs(context, sides, order), {
      ...{ row, unit: '×', goal: null, valueOf: cpuRatio },
      figure: `a proxy that books the same and does nothing else, ${ENGINE_NAMES[engine]}`,
      notesOf: (median) => [cpuNote(median), `at ${rate}/s`],
    })
  })
}

const SATURATED_ROUNDS = 3

/** The same at the limit of each side, where nothing is idle and requests share more. */
async function measureSaturated(
  context: BenchContext,
  sides: PairedSides,
  { row, engine, connections }: BilledRequest,
): Promise<RowResult> {
  const { baseline, candidate } = await saturate(context, sides, { connections, rounds: SATURATED_ROUNDS })
  const each = (of: (side: Saturation) => number): string =>
    `${of(candidate).toFixed(0)} against ${of(baseline).toFixed(0)}`
  return {
    ...{ row, unit: '×', goal: null, verdict: 'stated', count: SATURATED_ROUNDS },
    figure: `the same in a closed loop, ${ENGINE_NAMES[engine]}`,
    spread: { ...spreadOf([candidate.cpuUs / baseline.cpuUs]), interval: null },
    ...{ generatorBusy: null, coreBusy: null, samples: null },
    notes: [
      `${each(({ cpuUs }) => cpuUs)} µs`,
      `${each(({ perSecond }) => perSecond)} requests/s`,
      `${each(({ perCoreSecond }) => perCoreSecond)} per core`,
    ],
  }
}

/** CPU of both sides, for the notes. */
export function cpuNote(median: Parameters<FigureOf['notesOf']>[0]): string {
  const [bare, full] = [median(({ baseline }) => baseline.cpuUs), median(({ candidate }) => candidate.cpuUs)]
  return `${full.toFixed(0)} µs against ${bare.toFixed(0)} µs`
}
