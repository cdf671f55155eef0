import { expect, test } from 'vitest'
import { dayIn, segmentsOf } from './local-days.ts'

const DAY_MS = 86_400_000
const dayOf = (date: string): number => Date.parse(date) / DAY_MS

test.each(['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kolkata', 'Pacific/Apia', 'America/Sao_Paulo'])(
  'the days of %s touch each other, and every time in one is on it',
  (zone) => {
    const [first, last] = [dayOf('2026-03-01'), dayOf('2026-11-30')]
    const segments = segmentsOf(zone, first, last)
    for (const [at, segment] of segments.entries()) {
      const next = segments[at + 1]
      if (next !== undefined) expect([next.from, next.first]).toEqual([segment.to, segment.last + 1])
      for (let day = segment.first; day <= segment.last; day += 1) {
        const noon = day * DAY_MS - segment.offsetMs + DAY_MS / 2
        expect(dayIn(zone, noon)).toBe(day)
      }
      expect(dayIn(zone, segment.from)).toBe(segment.first)
      expect(dayIn(zone, segment.to - 1)).toBe(segment.last)
    }
  },
)

test('the days on which clocks change have 23 and 25 hours', () => {
  const hours = (date: string): number => {
    const [segment] = segmentsOf('Europe/Berlin', dayOf(date), dayOf(date))
    return segment === undefined ? 0 : (segment.to - segment.from) / 3_600_000
  }
  expect([hours('2026-03-28'), hours('2026-03-29'), hours('2026-10-25'), hours('2026-10-26')]).toEqual([24, 23, 25, 24])
})
