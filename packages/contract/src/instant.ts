const UNIX_SECONDS = /^\d{1,11}$/
const ISO = /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2})(:\d{2})?(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})?)?$/

/**
 * Reads a point in time as a person writes it: an ISO 8601 date or time. What names no zone is in UTC, whatever the
 * machine that reads it is set to; a day that no calendar has is none.
 *
 * @returns milliseconds since the epoch; null when it is no such text.
 */
export function parseTimeText(text: string): number | null {
  const [, day, minutes = '00:00', seconds = ':00', fraction = '', zone = 'Z'] = ISO.exec(text) ?? []
  if (day === undefined) return null
  const ofDay = Date.parse(`${day}T00:00:00Z`)
  // 30 February is read as 2 March.
  if (Number.isNaN(ofDay) || new Date(ofDay).toISOString().slice(0, 10) !== day) return null
  const ms = Date.parse(`${day}T${minutes}${seconds}${fraction.slice(0, 4)}${zone.toUpperCase()}`)
  return Number.isNaN(ms) ? null : ms
}

/** The same, or seconds since the epoch. */
export function parseInstant(text: string): number | null {
  return UNIX_SECONDS.test(text) ? Number(text) * 1_000 : parseTimeText(text)
}
