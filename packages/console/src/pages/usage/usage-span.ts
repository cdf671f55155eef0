/** Which days a page of usage shows, and when they begin and end. Pure, but for the zone of the browser. */
import { dayIn, segmentsOf } from '@svc/contract'
import { USAGE_SPANS, type UsageSearch } from '../../app/search.ts'

const DAY_MS = 86_400_000
/** Shorter spans are shown by the hour where hours are known. Source: own choice. */
const HOURLY_DAYS = 3

export interface UsageSpan {
  /** Days such as 2026-01-31; both are in. */
  readonly first: string
  readonly last: string
  readonly timeZone: string
  /** Seconds since the epoch; null for all that came since. */
  readonly from: number
  readonly to: number | null
  readonly step: 'hour' | 'day'
}

const DAYS_DEFAULT = 30

const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)
const dayOf = (date: string): number => Date.parse(date) / DAY_MS

/** The zone of the person's clock. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** @param now milliseconds since the epoch. */
export function spanOf({ days, from, to, zone = 'UTC' }: UsageSearch, now: number): UsageSpan {
  const today = dayIn(zone, now)
  const last = to === undefined || from === undefined ? today : dayOf(to)
  const first = from === undefined ? today - (days ?? DAYS_DEFAULT) + 1 : Math.min(dayOf(from), last)
  const segments = segmentsOf(zone, first, last)
  const begin = segments[0]?.from ?? now
  const end = segments.at(-1)?.to ?? now
  return {
    ...{ first: dateOf(first), last: dateOf(last), timeZone: zone },
    from: Math.floor(begin / 1_000),
    to: last >= today ? null : Math.floor(end / 1_000),
    step: last - first < HOURLY_DAYS ? 'hour' : 'day',
  }
}

/** The choices of a span, and what is chosen: a number of days, or days that were picked. */
export const SPAN_OPTIONS = [
  ...USAGE_SPANS.map((days) => ({ value: String(days), text: days === 1 ? 'Today' : `Last ${days} days` })),
  { value: 'custom', text: 'Custom days' },
] as const

export const spanChoice = ({ days, from }: UsageSearch): string =>
  from === undefined ? String(days ?? DAYS_DEFAULT) : 'custom'
