/** A day as it is reconciled. Clocks differ, and what was asked for before midnight may end after it. */

const DAY_MS = 86_400_000

/** Clocks of two servers differ by no more, in milliseconds. Source: own choice. */
const SKEW_MS = 5 * 60_000
/** No request begins longer before its upstream's work, in milliseconds: jobs run for hours. Source: own choice. */
const LONGEST_MS = DAY_MS

export interface DaySpan {
  readonly day: string
  /** Milliseconds since the epoch: `start` is in, `end` is out. */
  readonly start: number
  readonly end: number
  /** Records that can belong to an upstream's row of this day began within these. */
  readonly from: number
  readonly to: number
}

/** @param day such as `2026-03-31`. @returns null for what is no day. */
export function parseDay(day: string): DaySpan | null {
  const start = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN
  if (Number.isNaN(start) || dayOf(start) !== day) return null
  const end = start + DAY_MS
  return { day, start, end, from: start - LONGEST_MS - SKEW_MS, to: end + SKEW_MS }
}

/** The UTC day of a time. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** The day before that of a time. */
export function dayBefore(ms: number): string {
  return dayOf(ms - DAY_MS)
}

/** Where a record lies that began and ended at these times: in the day for certain, at an edge of it, or outside. */
export function placeIn({ start, end }: DaySpan, startedAt: number, endedAt: number): 'inside' | 'edge' | 'outside' {
  if (startedAt >= start + SKEW_MS && endedAt < end - SKEW_MS) return 'inside'
  return startedAt < end + SKEW_MS && endedAt >= start - SKEW_MS ? 'edge' : 'outside'
}
