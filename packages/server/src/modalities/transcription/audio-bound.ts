/** What a transcript can cost at most, by the length of its audio. Pure. */
import { nanocreditsOf } from '@svc/contract'
import type { Bound } from '../../pipeline/paid-work.ts'
import type { TranscriptionPrices } from '../../pricing/media-price.ts'
import { chargeForCost } from '../../pricing/usd.ts'

/** What sums of lengths of frames may be too long by: no second begins with it. */
const ROUNDING_SECONDS = 0.000_5

/** Begun seconds are charged whole, and at least one. */
export function wholeSeconds(seconds: number): number {
  return Math.max(1, Math.ceil(seconds - ROUNDING_SECONDS))
}

/** @param lists of every upstream that may serve it. @param units whole seconds. */
export function boundAudio(lists: readonly TranscriptionPrices[], units: number): Bound {
  const perSecond = lists.map((prices) => prices.perSecond).reduce((most, each) => (each > most ? each : most))
  return { fixed: nanocreditsOf(0n), perUnit: chargeForCost(perSecond), units, policy: 'exact', firstUnits: units }
}
