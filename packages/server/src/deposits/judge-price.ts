/** What speaks for a price beside the feed that gave it. */
export interface PriceEvidence {
  /** USD for one ETH by the feed. */
  readonly usd: number
  /** Milliseconds since the epoch. */
  readonly time: number
  /** The price of that time by a second source; null where it gave none. */
  readonly second: number | null
  /** Whether there is a second source at all. */
  readonly hasSecond: boolean
  /** The price that was believed last; null where none was. */
  readonly believed: { readonly usd: number; readonly time: number } | null
  /** What the feed gave in the rounds before, the newest first. */
  readonly rounds: readonly number[]
}

export type PriceOpinion =
  /** A second source gives the same. */
  | 'agrees'
  /** A second source gives another. */
  | 'differs'
  /** No second source gives a price, and the price is far from the one before. */
  | 'leaps'
  /** The second source says nothing now; the price is near the one before. */
  | 'late'
  /** There is no second source; the price is near the one before. */
  | 'alone'

/** Two sources that are further apart than this do not agree. Source: decision 0093. */
const APART_MAX = 0.02
/** So far may a price be from the last one that was believed, and so much further for each day since. */
const LEAP_MAX = 0.2
const LEAP_MAX_PER_DAY = 0.1
/** A price that was believed longer ago says nothing any more. */
const BELIEVED_MS_MAX = 14 * 86_400_000
const DAY_MS = 86_400_000

/** Says what speaks for or against a price of ETH. Pure. */
export function judgePrice(evidence: PriceEvidence): PriceOpinion {
  const { usd, second, hasSecond } = evidence
  if (second !== null) return apart(usd, second) <= APART_MAX ? 'agrees' : 'differs'
  if (leaps(evidence)) return 'leaps'
  return hasSecond ? 'late' : 'alone'
}

function leaps({ usd, time, believed, rounds }: PriceEvidence): boolean {
  if (believed !== null && Math.abs(time - believed.time) <= BELIEVED_MS_MAX) {
    const days = Math.abs(time - believed.time) / DAY_MS
    return apart(usd, believed.usd) > LEAP_MAX + days * LEAP_MAX_PER_DAY
  }
  return rounds.some((before) => apart(usd, before) > LEAP_MAX)
}

/** How far apart two prices are, as a share of the smaller one: ten times and a tenth are equally far. */
function apart(one: number, other: number): number {
  return Math.max(one, other) / Math.min(one, other) - 1
}
