import { expect, test } from 'vitest'
import { CallQuota } from './call-quota.ts'

function createQuota(...windows: readonly { readonly max: number; readonly withinMs: number }[]) {
  let now = 1_000_000
  const quota = new CallQuota(windows, { now: () => now })
  const pass = (ms: number): void => void (now += ms)
  return { quota, pass }
}

// B129
test('no stretch of the window ever holds more than its calls, though all come at once', () => {
  const { quota, pass } = createQuota({ max: 2, withinMs: 60_000 })
  expect(Array.from({ length: 20 }, () => quota.take('key')).filter((wait) => wait === null)).toHaveLength(2)
  pass(59_999)
  expect(quota.take('key')).toBe(1)
  pass(1)
  expect([quota.take('key'), quota.take('key'), quota.take('key')]).toEqual([null, null, 60_000])
})

test('callers do not count for each other', () => {
  const { quota } = createQuota({ max: 1, withinMs: 60_000 })
  expect([quota.take('a'), quota.take('b'), quota.take('a')]).toEqual([null, null, 60_000])
})

test('the window that opens last decides, and a refused call counts in none', () => {
  const { quota, pass } = createQuota({ max: 1, withinMs: 1_000 }, { max: 3, withinMs: 10_000 })
  for (let call = 0; call < 3; call++) {
    expect(quota.take('key')).toBeNull()
    expect(quota.take('key')).toBeGreaterThan(0)
    pass(1_000)
  }
  expect(quota.take('key')).toBe(7_000)
  pass(7_000)
  expect(quota.take('key')).toBeNull()
})

test('memory is bounded: who has not called for longest is forgotten', () => {
  const { quota } = createQuota({ max: 1, withinMs: 60_000 })
  for (let caller = 0; caller <= 10_000; caller++) quota.take(String(caller))
  expect([quota.take('0'), quota.take('10000')]).toEqual([null, 60_000])
})
