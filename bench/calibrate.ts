import type { BenchContext } from './bench-context.ts'
import type { PairedSides } from './pairs.ts'
import { sampleSide } from './side.ts'

/**
 * Of the lower throughput of the two sides: where the search begins. It goes down in steps until nothing is busier than
 * wanted, which is some way below where a row is refused.
 *
 * As high as may be, since a gateway that is nearly idle commits each request alone, and its CPU does not matter.
 */
const PART_OF_SATURATION = 0.75
const STEP_DOWN = 0.85
const BUSY_WANTED = 0.72
const STEPS_MAX = 8

/** Finding the rate takes half of the time of a side for each look. */
const PART_OF_SECONDS = 0.5

/** Fewer would make a side too long. */
const LEAST_RATE = 20

/**
 * Requests a second at which neither side, nor the load generator, nor a core is near its limit.
 *
 * @param least the lowest rate that may be taken.
 */
export async function calibrateRate(
  context: BenchContext,
  { baseline, candidate }: PairedSides,
  connections: number,
  least = LEAST_RATE,
): Promise<number> {
  const { seconds } = context.options
  const whole = { kind: 'whole', connections, seconds: seconds * PART_OF_SECONDS } as const
  // Code that has not run hot yet would make a side look slow.
  for (const side of [baseline, candidate]) await sampleSide(context, side, { ...whole, seconds, rate: null })
  const { perSecond: bare } = await sampleSide(context, baseline, { ...whole, rate: null })
  const { perSecond: full } = await sampleSide(context, candidate, { ...whole, rate: null })
  let rate = roundRate(Math.min(bare, full) * PART_OF_SATURATION, least)
  for (let step = 0; step < STEPS_MAX; step++) {
    const sample = await sampleSide(context, candidate, { ...whole, rate })
    if (Math.max(sample.coreBusy, sample.generatorBusy) <= BUSY_WANTED) break
    rate = roundRate(rate * STEP_DOWN, least)
  }
  context.say(
    `  saturation of the ${baseline.name} ${bare.toFixed(0)}/s, of the ${candidate.name} ${full.toFixed(0)}/s; ` +
      `measured at ${rate}/s`,
  )
  return rate
}

/** Two digits. */
function roundRate(rate: number, least: number): number {
  return Math.max(least, Number(rate.toPrecision(2)))
}
