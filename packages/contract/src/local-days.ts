/** The days of a time zone as spans of time. Pure. */

const DAY_MS = 86_400_000

/** Days in a row that have the same distance from UTC. */
export interface DaySegment {
  /** Days since the epoch, as the zone counts them; both are in. */
  readonly first: number
  readonly last: number
  /** Added to a time, it makes a time whose days in UTC are those of the zone. */
  readonly offsetMs: number
  /** Milliseconds since the epoch: `from` is in, `to` is out. */
  readonly from: number
  readonly to: number
}

/** How far a zone's clocks are before UTC at a time. */
function offsetAt(zone: Intl.DateTimeFormat, time: number): number {
  const parts = new Map(zone.formatToParts(time).map(({ type, value }) => [type, Number(value)]))
  const read = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0
  const shown = Date.UTC(
    read('year'),
    read('month') - 1,
    read('day'),
    read('hour') % 24,
    read('minute'),
    read('second'),
  )
  return shown - Math.floor(time / 1_000) * 1_000
}

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const digits = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const
  return new Intl.DateTimeFormat('en', {
    ...digits,
    second: 'numeric',
    hourCycle: 'h23',
    calendar: 'gregory',
    timeZone,
  })
}

/** When a day of a zone begins: the change of its clocks lies between the two offsets that are looked at. */
function startOf(zone: Intl.DateTimeFormat, day: number): number {
  const midnight = day * DAY_MS
  const first = midnight - offsetAt(zone, midnight)
  return midnight - offsetAt(zone, first)
}

/** The day of a time, as the zone counts them. */
export function dayIn(timeZone: string, time: number): number {
  return Math.floor((time + offsetAt(clockOf(timeZone), time)) / DAY_MS)
}

/**
 * The days from `first` to `last` as few segments. A day on which the clocks change counts with its start: what is in
 * the hour of the change is on the right day, since that is never the first.
 */
export function segmentsOf(timeZone: string, first: number, last: number): readonly DaySegment[] {
  const zone = clockOf(timeZone)
  const segments: DaySegment[] = []
  for (let day = first; day <= last; day += 1) {
    const [from, to] = [startOf(zone, day), startOf(zone, day + 1)]
    // Times of a day are moved by its own start, so that one of 23 or of 25 hours stays one day.
    const offsetMs = day * DAY_MS - from
    const known = segments.at(-1)
    const isLonger = to - from > DAY_MS
    if (known !== undefined && known.offsetMs === offsetMs && !isLonger) {
      segments[segments.length - 1] = { ...known, last: day, to }
    } else segments.push({ first: day, last: day, offsetMs, from, to })
  }
  return segments
}
