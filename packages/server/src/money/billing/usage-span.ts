const DAY_MS = 86_400_000

/** A span of time in milliseconds since the epoch: `from` is in, `to` is out; null leaves a side open. */
export interface UsageSpan {
  readonly from: number | null
  readonly to: number | null
}

/** A span as whole UTC days and the ragged ends beside them. */
export interface SplitSpan {
  /** Days since the epoch, `first` in and `end` out; null when the span has no whole day in it. */
  readonly days: { readonly first: number | null; readonly end: number | null } | null
  /** At most two, neither of which reaches into the days. */
  readonly ends: readonly UsageSpan[]
}

/** Splits a span so that its whole days can be read from roll-ups and only its ends need single records. */
export function splitSpan({ from, to }: UsageSpan): SplitSpan {
  if (from !== null && to !== null && from >= to) return { days: null, ends: [] }
  const first = from === null ? null : Math.ceil(from / DAY_MS)
  const end = to === null ? null : Math.floor(to / DAY_MS)
  if (first !== null && end !== null && first >= end) return { days: null, ends: [{ from, to }] }
  const ends: UsageSpan[] = []
  if (first !== null && from !== null && from < first * DAY_MS) ends.push({ from, to: first * DAY_MS })
  if (end !== null && to !== null && end * DAY_MS < to) ends.push({ from: end * DAY_MS, to })
  return { days: { first, end }, ends }
}
