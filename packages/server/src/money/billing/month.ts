/** Months of UTC, as the books have them. */

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
