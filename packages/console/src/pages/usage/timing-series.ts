/** Timings as the lines and bars of a chart. Pure. */
import { dayIn, type DecimalText, type Exact, type TeamTimings, type TeamUsageDays } from '@svc/contract'
import type { UsageSpan } from './usage-span.ts'

export type Timing = TeamTimings['data'][number]

const DAY_MS = 86_400_000

/** Lines beside each other that can be told apart. Source: as the bars of a chart. */
const LINES_MAX = 6

export interface Line {
  readonly group: string
  readonly name: string
  /** By slot; null where nothing was measured. */
  readonly points: readonly (number | null)[]
}

interface Slots {
  /** Seconds since the epoch: the first, and how many follow it. */
  readonly start: number
  readonly count: number
  /** Seconds of one. */
  readonly length: number
}

/** From the first to the last slot that has anything. */
export function slotsOf(
  rows: readonly Timing[],
  span: { readonly from: number; readonly step: 'hour' | 'day' },
): Slots {
  const length = span.step === 'hour' ? 3_600 : 86_400
  const first = Math.floor(span.from / 3_600) * 3_600
  const last = rows.reduce((most, { start }) => Math.max(most, start), first)
  return { start: first, length, count: Math.floor((last - first) / length) + 1 }
}

/** The lines of the groups with the most requests; of all together, also what 19 of 20 do not exceed. */
export function linesOf(
  rows: readonly Timing[],
  slots: Slots,
  measure: 'first' | 'latency' | 'speed',
): readonly Line[] {
  const groups = Map.groupBy(rows, ({ group }) => group)
  const ranked = [...groups.values()].toSorted((one, other) => requestsOf(other) - requestsOf(one)).slice(0, LINES_MAX)
  return ranked.flatMap((own): Line[] => {
    const [{ group, name } = { group: '', name: '' }] = own
    const bySlot = new Map(own.map((row) => [Math.floor((row.start - slots.start) / slots.length), row]))
    const read = (value: (row: Timing) => number | null) =>
      Array.from({ length: slots.count }, (_, at) => {
        const row = bySlot.get(at)
        return row === undefined ? null : value(row)
      })
    if (measure === 'speed') return [{ group, name, points: read((row) => row.tokens_per_second) }]
    const spread = (row: Timing) => (measure === 'first' ? row.first_content_ms : row.duration_ms)
    const median: Line = { group, name, points: read((row) => spread(row)?.median ?? null) }
    if (group !== 'all') return [median]
    const slow: Line = {
      group: 'slow',
      name: '19 of 20 are not slower',
      points: read((row) => spread(row)?.slow ?? null),
    }
    return [{ ...median, name: 'Median' }, slow]
  })
}

const requestsOf = (rows: readonly Timing[]): number => rows.reduce((sum, { requests }) => sum + requests, 0)

/** Failures as the days of a chart of bars: what failed here, and what was refused for what was asked. */
export function failuresOf(rows: readonly Timing[], { first, last, timeZone }: UsageSpan): Exact<TeamUsageDays> {
  const data = rows.flatMap(({ start, failed, refused }) => {
    const day = new Date(dayIn(timeZone, start * 1_000) * DAY_MS).toISOString().slice(0, 10)
    return [
      { group: 'failed', name: 'Failed here or upstream', count: failed },
      { group: 'refused', name: 'Refused for what was asked', count: refused },
    ].flatMap(({ count, ...own }) =>
      count === 0 ? [] : [{ ...own, day, tokens: 0, requests: count, credits_charged: String(count) as DecimalText }],
    )
  })
  return { first_day: first, last_day: last, data }
}

/** The least round number that is not below the highest point. */
export function topOf(lines: readonly Line[]): number {
  const most = lines.reduce(
    (max, { points }) => points.reduce<number>((top, point) => Math.max(top, point ?? 0), max),
    0,
  )
  if (most <= 0) return 1
  const unit = 10 ** Math.floor(Math.log10(most))
  return [1, 2, 4, 5, 8, 10].map((step) => step * unit).find((top) => top >= most) ?? 10 * unit
}
