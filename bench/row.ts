import type { BenchContext } from './bench-context.ts'
import type { Spread } from './interval.ts'

export type Verdict = 'met' | 'missed' | 'stated' | 'no verdict' | 'refused' | 'not run' | 'failed'

/** One line of the table. */
export interface RowResult {
  readonly row: number
  readonly figure: string
  readonly unit: string
  /** Null for a figure that is only stated. */
  readonly goal: number | null
  /** Null when there is no figure. */
  readonly spread: Spread | null
  /** How many pairs, or measurements, the figure is the median of. */
  readonly count: number
  readonly verdict: Verdict
  /** How busy the load generator and the busiest core were, from 0 to 1; null where nothing was measured. */
  readonly generatorBusy: number | null
  readonly coreBusy: number | null
  /** What the figure was made of, for the JSON; null where there are no pairs. */
  readonly samples: { readonly counted: readonly object[]; readonly disturbed: readonly object[] } | null
  /** What else there is to say: both sides in absolute figures, or why there is no figure. */
  readonly notes: readonly string[]
}

/** Something that is measured, alone and from a fresh start. */
export interface Row {
  readonly number: number
  readonly title: string
  measure(context: BenchContext): Promise<readonly RowResult[]>
}

/** A figure is judged from so many pairs on. */
export const PAIRS_MIN = 10

/** Judges a median against a goal. */
export function judge(goal: number | null, median: number, pairs: number): Verdict {
  if (goal === null) return 'stated'
  if (pairs < PAIRS_MIN) return 'no verdict'
  return median <= goal ? 'met' : 'missed'
}
