/** Medians and how sure they are. Pure. */

export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
  /** 95 % interval of the median; null where there are too few numbers for one. */
  readonly interval: readonly [number, number] | null
}

const CONFIDENCE = 0.95

/** @throws {RangeError} when there is no number. */
export function spreadOf(numbers: readonly number[]): Spread {
  const sorted = numbers.toSorted((left, right) => left - right)
  const at = (rank: number): number => {
    const value = sorted[rank]
    if (value === undefined) throw new RangeError('there is no number')
    return value
  }
  const count = sorted.length
  const median = (at(Math.floor((count - 1) / 2)) + at(Math.floor(count / 2))) / 2
  const rank = intervalRank(count)
  return {
    ...{ median, min: at(0), max: at(count - 1) },
    interval: rank === null ? null : [at(rank), at(count - 1 - rank)],
  }
}

/**
 * The highest rank, from 0, such that the median of what was sampled lies between the numbers of that rank from below
 * and from above with the confidence wanted, whatever the distribution is. Null for fewer than 6 numbers.
 * Source: the sign test; each number is below the median with probability one half.
 */
function intervalRank(count: number): number | null {
  let outside = 0
  let ways = 1
  let rank: number | null = null
  for (let below = 0; below < count / 2; below++) {
    outside += 2 * ways * 0.5 ** count
    if (outside > 1 - CONFIDENCE) break
    rank = below
    ways = (ways * (count - below)) / (below + 1)
  }
  return rank
}
