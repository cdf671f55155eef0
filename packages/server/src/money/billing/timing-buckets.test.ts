import { expect, test } from 'vitest'
import { bucketOf, quantileOf } from './timing-buckets.ts'

const bucketsOf = (values: readonly number[]): ReadonlyMap<number, number> => {
  const buckets = new Map<number, number>()
  for (const value of values) buckets.set(bucketOf(value), (buckets.get(bucketOf(value)) ?? 0) + 1)
  return buckets
}

test('a quantile is at most 10 % from that of the values themselves', () => {
  const values = Array.from({ length: 999 }, (_, at) => 5 + at * at * 0.07)
  for (const share of [0.1, 0.5, 0.9, 0.99]) {
    const exact = values[Math.ceil(share * values.length) - 1] ?? 0
    const found = quantileOf(bucketsOf(values), share) ?? 0
    expect(Math.abs(found / exact - 1)).toBeLessThan(0.1)
  }
})

test('no request has no quantile', () => {
  expect(quantileOf(new Map(), 0.5)).toBeNull()
})

test.each([
  [Number.NaN, 0],
  [-5, 0],
  [0, 0],
  [1, 0],
  [Number.POSITIVE_INFINITY, 100],
  [1e15, 100],
])('%d is in bucket %i: what a clock says never makes a row of its own', (value, bucket) => {
  expect(bucketOf(value)).toBe(bucket)
})
