import { groupDigits } from '@svc/contract'
import type { StatementKind } from '@svc/contract'

/** All digits of an amount, grouped: the amounts of a statement can be added up by hand. */
export function exactText(text: string): string {
  const [, sign = '', whole = text, fraction = ''] = /^(-?)(\d+)(\.\d+)?$/.exec(text) ?? []
  return `${sign === '' ? '' : '−'}${groupDigits(whole)}${fraction}`
}

/** The same, with its sign also above 0. */
export function signedText(text: string): string {
  return text.startsWith('-') || text === '0' ? exactText(text) : `+${exactText(text)}`
}

export const KIND_TEXTS: Readonly<Record<StatementKind, string>> = {
  deposit: 'Deposits',
  grant: 'Granted by the operator',
  adjustment: 'Corrections',
  charge: 'Charges',
}

/** `2026-01`, in UTC, as the books have it. */
export function monthOf(date: Date): string {
  return date.toISOString().slice(0, 7)
}

const names = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'long', timeZone: 'UTC' })

export function monthText(month: string): string {
  return names.format(new Date(`${month}-01T00:00:00Z`))
}

const MONTHS_MAX = 600

/** Every month from one to another, newest first. */
export function monthsBetween(first: string, last: string): readonly string[] {
  const [year = 0, number = 1] = last.split('-').map(Number)
  const months: string[] = []
  for (let back = 0; back < MONTHS_MAX; back += 1) {
    const month = monthOf(new Date(Date.UTC(year, number - 1 - back)))
    if (month < first) break
    months.push(month)
  }
  return months
}

const days = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeZone: 'UTC' })

/** A day of the books. @param seconds since the epoch. */
export function utcDayText(seconds: number): string {
  return days.format(new Date(seconds * 1_000))
}

const times = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** A time of the books: UTC, like their months. @param seconds since the epoch. */
export function utcText(seconds: number): string {
  return times.format(new Date(seconds * 1_000))
}
