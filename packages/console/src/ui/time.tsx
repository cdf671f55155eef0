const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/**
 * A point in time to the second, in the person's own zone. The month is a word: figures alone are another day in another
 * country.
 *
 * @param milliseconds since the epoch.
 */
export const exactTimeText = (milliseconds: number): string => exact.format(milliseconds)

/** Clocks of browser and gateway differ by so much, and what has just happened is not to come. */
const DRIFT_SECONDS = 10

function relativeText(seconds: number, now: number): string {
  const difference = seconds - now
  for (const [unit, length] of UNITS) {
    if (Math.abs(difference) >= length) return relative.format(Math.round(difference / length), unit)
  }
  return difference > DRIFT_SECONDS ? 'in a moment' : 'just now'
}

/**
 * A point in time as people say it; the exact one, in their own zone, on hover.
 *
 * @param props.seconds since the epoch.
 */
export function Time({ seconds }: { readonly seconds: number }) {
  const date = new Date(seconds * 1_000)
  return (
    <time dateTime={date.toISOString()} title={exact.format(date)} className="whitespace-nowrap">
      {relativeText(seconds, Date.now() / 1_000)}
    </time>
  )
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

/**
 * A point in time to the second, in the person's own zone; the day with it where it is another than today.
 *
 * @param props.seconds since the epoch.
 */
export function ExactTime({ seconds }: { readonly seconds: number }) {
  const date = new Date(seconds * 1_000)
  const isToday = day.format(date) === day.format(new Date())
  return (
    <time dateTime={date.toISOString()} title={exact.format(date)} className="figures">
      {isToday ? clock.format(date) : exact.format(date)}
    </time>
  )
}
