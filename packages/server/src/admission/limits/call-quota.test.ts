import { expect, test } from 'vitest'
import { CallQuota, quotaError } from './call-quota.ts'

function createQuota(...windows: readonly { readonly max: number; readonly withinMs: number }[]) {
  let now = 1_000_000
  const quota = new CallQuota(windows, { elapsed: () => now })
  const pass = (ms: number): void => void (now += ms)
  const take = (caller: string): number | null => quota.take(caller)?.waitMs ?? null
  return { quota: { take }, pass, refusal: (caller: string) => quota.take(caller) }
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

test('a refusal names the limit that holds for longest, and when to come back', () => {
  const { pass, refusal } = createQuota({ max: 1, withinMs: 60_000 }, { max: 2, withinMs: 86_400_000 })
  const textOf = (found: ReturnType<typeof refusal>): string =>
    found === null ? '' : quotaError(found, 'claims with this key', 'claim_rate_limited').message
  expect(textOf(refusal('key'))).toBe('')
  expect(textOf(refusal('key'))).toBe('Too many claims with this key: at most 1 a minute. Try again in 60 s.')
  pass(60_000)
  expect(textOf(refusal('key'))).toBe('')
  expect(textOf(refusal('key'))).toBe('Too many claims with this key: at most 2 a day. Try again in 86340 s.')
})
