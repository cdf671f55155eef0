/** Interleaved pairs: the two sides take turns, so that a busy machine disturbs both alike. */
import type { BenchContext } from './bench-context.ts'
import { spreadOf } from './interval.ts'
import { judge, type RowResult } from './row.ts'
import { BUSY_MAX, type Sample, sampleSide, type Side, type SideOrder } from './side.ts'

export interface Pair {
  readonly baseline: Sample
  readonly candidate: Sample
}

export interface PairedSides {
  readonly baseline: Side
  readonly candidate: Side
}

export interface Pairs {
  readonly pairs: readonly Pair[]
  /** Pairs that do not count because something was too busy. */
  readonly disturbed: readonly Pair[]
  /** Why there is no figure; null when there is one. */
  readonly refusal: string | null
}

/** So many pairs may be repeated for each one that is wanted, before the row is refused. */
const REPEATS_PER_PAIR = 0.5

/** What each side of a pair is asked for. */
export interface PairedOrders {
  readonly baseline: SideOrder
  readonly candidate: SideOrder
}

/** Takes the wanted number of pairs, one side after the other, the order changing from pair to pair. */
export async function takePairs(
  context: BenchContext,
  sides: PairedSides,
  order: SideOrder | PairedOrders,
): Promise<Pairs> {
  const orders = 'candidate' in order ? order : { baseline: order, candidate: order }
  const wanted = context.options.pairs
  const repeatsMax = Math.max(1, Math.floor(wanted * REPEATS_PER_PAIR))
  const pairs: Pair[] = []
  const disturbed: Pair[] = []
  while (pairs.length < wanted && disturbed.length <= repeatsMax) {
    const pair = await takePair(context, sides, orders, pairs.length % 2 === 0)
    if (busiest(pair) > BUSY_MAX) disturbed.push(pair)
    else pairs.push(pair)
  }
  return { pairs, disturbed, refusal: pairs.length === wanted ? null : refusalOf(disturbed) }
}

async function takePair(
  context: BenchContext,
  { baseline, candidate }: PairedSides,
  orders: PairedOrders,
  baselineFirst: boolean,
): Promise<Pair> {
  if (baselineFirst) {
    const first = await sampleSide(context, baseline, orders.baseline)
    return { baseline: first, candidate: await sampleSide(context, candidate, orders.candidate) }
  }
  const first = await sampleSide(context, candidate, orders.candidate)
  return { baseline: await sampleSide(context, baseline, orders.baseline), candidate: first }
}

function busiest({ baseline, candidate }: Pair): number {
  return Math.max(baseline.generatorBusy, baseline.coreBusy, candidate.generatorBusy, candidate.coreBusy)
}

function refusalOf(disturbed: readonly Pair[]): string {
  const isGenerator = disturbed.some(
    ({ baseline, candidate }) => Math.max(baseline.generatorBusy, candidate.generatorBusy) > BUSY_MAX,
  )
  return `refused: ${isGenerator ? 'generator' : 'core'} over ${BUSY_MAX * 100} % busy`
}

/** What a line of the table says besides its figure. */
export interface FigureOf {
  readonly row: number
  readonly figure: string
  readonly unit: string
  readonly goal: number | null
  readonly valueOf: (pair: Pair) => number
  /** Both sides in absolute figures. */
  readonly notesOf: (median: (valueOf: (pair: Pair) => number) => number) => readonly string[]
}

/** Makes the line of the table from pairs. A refused one has no number. */
export function resultOf(taken: Pairs, of: FigureOf): RowResult {
  const { row, figure, unit, goal } = of
  const { disturbed, refusal } = taken
  const shown = refusal === null ? taken.pairs : disturbed
  const median = (valueOf: (pair: Pair) => number): number => spreadOf(shown.map(valueOf)).median
  const common = {
    ...{ row, figure, unit, goal },
    generatorBusy: median(({ baseline, candidate }) => Math.max(baseline.generatorBusy, candidate.generatorBusy)),
    coreBusy: median(({ baseline, candidate }) => Math.max(baseline.coreBusy, candidate.coreBusy)),
    samples: { counted: taken.pairs, disturbed },
  }
  if (refusal !== null) return { ...common, spread: null, count: 0, verdict: 'refused', notes: [refusal] }
  const spread = spreadOf(shown.map(of.valueOf))
  const again = disturbed.length === 0 ? [] : [`pairs repeated because something was too busy: ${disturbed.length}`]
  return {
    ...{ ...common, spread, count: shown.length },
    verdict: judge(goal, spread.median, shown.length),
    notes: [...of.notesOf(median), ...again],
  }
}

/** CPU of the gateway's side by that of the baseline's. */
export const cpuRatio = ({ baseline, candidate }: Pair): number => candidate.cpuUs / baseline.cpuUs
