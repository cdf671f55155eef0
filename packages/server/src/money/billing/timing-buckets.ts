/** Durations and speeds as buckets, so that those of many requests can be added up and still have a median. Pure. */

/** What is measured of a request. `ok`, `failed` and `refused` count requests, and have one bucket. */
export const timingMeasures = ['ok', 'failed', 'refused', 'first_content', 'duration', 'speed'] as const
export type TimingMeasure = (typeof timingMeasures)[number]

/** Buckets of a doubling: the middle of one is at most 9 % from what is in it. Source: own choice. */
const PER_DOUBLING = 4
/** About half a day in milliseconds; longer is counted as that. */
const BUCKET_MAX = 100
export const BUCKETS = BUCKET_MAX + 1

/** @param value milliseconds, or output tokens a second. */
export function bucketOf(value: number): number {
  if (!(value > 1)) return 0
  return Math.min(BUCKET_MAX, Math.round(PER_DOUBLING * Math.log2(value)))
}

/** The middle of a bucket. */
const valueOf = (bucket: number): number => 2 ** (bucket / PER_DOUBLING)

/** How many requests are in each bucket. */
export type Buckets = ReadonlyMap<number, number>

/**
 * The value that a share of the requests do not exceed, such as 0.5 for the median.
 *
 * @returns null for no request.
 */
export function quantileOf(buckets: Buckets, share: number): number | null {
  const total = [...buckets.values()].reduce((sum, count) => sum + count, 0)
  let seen = 0
  for (const bucket of [...buckets.keys()].toSorted((one, other) => one - other)) {
    seen += buckets.get(bucket) ?? 0
    if (seen > 0 && seen >= share * total) return valueOf(bucket)
  }
  return null
}
