import { expect, test } from 'vitest'
import { periodStart } from '../../platform/runtime/budget-period.ts'
import { budgetRemaining } from './budget-window.ts'

const iso = (text: string): number => Date.parse(text)

test.each([
  ['none', '2026-05-14T12:00:00Z', '1970-01-01T00:00:00Z'],
  ['daily', '2026-05-14T23:59:59.999Z', '2026-05-14T00:00:00Z'],
  ['daily', '2026-05-15T00:00:00Z', '2026-05-15T00:00:00Z'],
  ['weekly', '2026-05-14T12:00:00Z', '2026-05-11T00:00:00Z'],
  ['weekly', '2026-05-17T23:59:59.999Z', '2026-05-11T00:00:00Z'],
  ['weekly', '2026-05-18T00:00:00Z', '2026-05-18T00:00:00Z'],
  ['monthly', '2026-02-28T23:00:00Z', '2026-02-01T00:00:00Z'],
  ['monthly', '2026-03-01T00:00:00Z', '2026-03-01T00:00:00Z'],
] as const)('a %s budget at %s counts from %s', (period, now, start) => {
  expect(periodStart(period, iso(now))).toBe(iso(start))
})

test('a budget without a limit caps nothing, and none allows less than nothing', () => {
  const budget = { limit: 100n, period: 'daily', spent: 60n, reserved: 10n } as const
  expect(budgetRemaining({ ...budget, limit: null })).toBeNull()
  expect(budgetRemaining(budget)).toBe(30n)
  expect(budgetRemaining({ ...budget, spent: 200n })).toBe(0n)
})
