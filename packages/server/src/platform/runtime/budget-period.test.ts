import { expect, test } from 'vitest'
import { periodEnd, periodStart } from './budget-period.ts'

const at = (text: string): number => Date.parse(text)

test.each([
  ['daily', '2026-03-01T00:00:00.000Z', '2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z'],
  ['daily', '2026-02-28T23:59:59.999Z', '2026-02-28T00:00:00Z', '2026-03-01T00:00:00Z'],
  ['weekly', '2026-03-01T12:00:00.000Z', '2026-02-23T00:00:00Z', '2026-03-02T00:00:00Z'],
  ['weekly', '2026-03-02T00:00:00.000Z', '2026-03-02T00:00:00Z', '2026-03-09T00:00:00Z'],
  ['monthly', '2028-02-29T23:59:59.999Z', '2028-02-01T00:00:00Z', '2028-03-01T00:00:00Z'],
  ['monthly', '2026-12-31T00:00:00.000Z', '2026-12-01T00:00:00Z', '2027-01-01T00:00:00Z'],
] as const)('the %s period around %s is %s to %s', (period, now, start, end) => {
  expect(periodStart(period, at(now))).toBe(at(start))
  expect(periodEnd(period, at(now))).toBe(at(end))
})

test('a budget without a period never starts anew', () => {
  expect(periodStart('none', 5)).toBe(0)
  expect(periodEnd('none', 5)).toBeNull()
})
