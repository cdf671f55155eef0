/** Which announcements a person has dismissed in this browser, and how their times read. */
import type { Announcement } from '@svc/contract'

const PLACE = 'svc-dismissed'

/** Empty where the browser keeps nothing. */
export function dismissedIds(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(PLACE) ?? '[]')
    return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : []
  } catch {
    return []
  }
}

/** Adds one, and forgets those that are not shown any more. @returns what is dismissed now. */
export function rememberDismissed(id: string, shown: readonly string[]): readonly string[] {
  const dismissed = [...dismissedIds().filter((each) => shown.includes(each)), id]
  try {
    localStorage.setItem(PLACE, JSON.stringify(dismissed))
  } catch {
    // It comes again with the next page.
  }
  return dismissed
}

const times = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** From when to when, in the person's own zone. */
export function announcementText({
  starts_at: from,
  ends_at: to,
}: Pick<Announcement, 'starts_at' | 'ends_at'>): string {
  const start = times.format(new Date(from * 1_000))
  return to === null ? `from ${start}` : times.formatRange(new Date(from * 1_000), new Date(to * 1_000))
}
