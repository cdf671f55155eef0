import { expect, test } from 'vitest'
import { spreadOf } from './interval.ts'

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => count - index)

test('ten numbers have their median between the second from below and the second from above', () => {
  expect(spreadOf(upTo(10))).toEqual({ median: 5.5, min: 1, max: 10, interval: [2, 9] })
})

test('the interval narrows with the count, at the ranks of the sign test', () => {
  expect(spreadOf(upTo(20)).interval).toEqual([6, 15])
  expect(spreadOf(upTo(6)).interval).toEqual([1, 6])
})

test('fewer than six numbers have no interval', () => {
  expect(spreadOf([3, 1, 2])).toEqual({ median: 2, min: 1, max: 3, interval: null })
})

test('no numbers have no median', () => {
  expect(() => spreadOf([])).toThrow(RangeError)
})
