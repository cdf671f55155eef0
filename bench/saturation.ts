/** Closed loop: each connection sends its next request when it has the last answer, so that the side is never idle. */
import type { BenchContext } from './bench-context.ts'
import { spreadOf } from './interval.ts'
import type { PairedSides } from './pairs.ts'
import { type Sample, sampleSide } from './side.ts'

/** What a side does at its limit. */
export interface Saturation {
  readonly perSecond: number
  readonly cpuUs: number
  /** Answers that a second of one core's time makes: what a larger machine gives is a multiple of it. */
  readonly perCoreSecond: number
}

const US_PER_SECOND = 1_000_000

/**
 * Both sides at their limits, in turns. Nothing is refused because a core is busy: it is to be. So a figure is of a
 * machine that does nothing else, and of its caches as they are then.
 */
export async function saturate(
  context: BenchContext,
  { baseline, candidate }: PairedSides,
  { connections, rounds }: { readonly connections: number; readonly rounds: number },
): Promise<{ readonly baseline: Saturation; readonly candidate: Saturation }> {
  const order = { kind: 'whole', connections, seconds: context.options.statedSeconds, rate: null } as const
  const samples = { baseline: [] as Sample[], candidate: [] as Sample[] }
  for (let round = 0; round < rounds; round++) {
    samples.baseline.push(await sampleSide(context, baseline, order))
    samples.candidate.push(await sampleSide(context, candidate, order))
  }
  return { baseline: saturationOf(samples.baseline), candidate: saturationOf(samples.candidate) }
}

function saturationOf(samples: readonly Sample[]): Saturation {
  const cpuUs = spreadOf(samples.map((sample) => sample.cpuUs)).median
  const perSecond = spreadOf(samples.map((sample) => sample.perSecond)).median
  return { perSecond, cpuUs, perCoreSecond: US_PER_SECOND / cpuUs }
}
