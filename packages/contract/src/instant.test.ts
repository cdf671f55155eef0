import { expect, test } from 'vitest'
import { parseInstant, parseTimeText } from './instant.ts'

test('what names no zone is in UTC', () => {
  const noon = Date.UTC(2026, 0, 31, 12)
  for (const text of [
    '2026-01-31T12:00',
    '2026-01-31 12:00:00',
    '2026-01-31T12:00:00.000Z',
    '2026-01-31T17:30+05:30',
  ]) {
    expect(parseInstant(text)).toBe(noon)
  }
  expect(parseInstant('2026-01-31')).toBe(Date.UTC(2026, 0, 31))
  expect(parseInstant('2024-02-29')).toBe(Date.UTC(2024, 1, 29))
  expect(parseInstant('2026-01-31T12:00:00.123456Z')).toBe(noon + 123)
})

test('seconds since the epoch are whole', () => {
  expect(parseInstant('1795813200')).toBe(1_795_813_200_000)
  expect(parseTimeText('1795813200')).toBeNull()
})

test.each([
  ['a day that is not in the calendar', '2026-02-30'],
  ['29 February of another year', '2026-02-29T00:00:00Z'],
  ['a thirteenth month', '2026-13-01'],
  ['an hour too many', '2026-01-01T25:00:00Z'],
  ['a number below zero', '-1'],
  ['words that end in a number', 'abc 5'],
  ['a date as others write it', '1/2/2026'],
  ['milliseconds', '1795813200000'],
  ['a fraction of a second', '1795813200.5'],
  ['a plus that a query has lost', '2026-01-01T00:00:00 05:30'],
  ['nothing', ''],
])('%s is no time', (_name, text) => {
  expect(parseInstant(text)).toBeNull()
})
