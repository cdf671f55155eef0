/** Months of UTC, as the books have them. */

/**
 * So long after a time nothing is booked for it any more, as far as is known: what a database could not take for hours
 * is booked by its own time. Source: decision 0170.
 */
export const SETTLED_MS = 86_400_000

/** A month in milliseconds since the epoch: `from` is in, `to` is out. */
export interface Month {
  readonly from: number
  readonly to: number
}

/** @param month such as `2026-01`. */
export function monthSpan(month: string): Month {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return { from: Date.UTC(year, number - 1), to: Date.UTC(year, number) }
}

/** The month of a time, such as `2026-01`. */
export function monthText(at: number): string {
  return new Date(at).toISOString().slice(0, 7)
}
