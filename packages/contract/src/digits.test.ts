import { expect, test } from 'vitest'
import { groupDigits, trimEndOf } from './digits.ts'

test.each([
  ['', ''],
  ['0', '0'],
  ['999', '999'],
  ['1000', '1,000'],
  ['26234.5', '26,234.5'],
  ['1234567.1234', '1,234,567.1234'],
])('%s is grouped as %s', (decimal, expected) => {
  expect(groupDigits(decimal)).toBe(expected)
})

test.each([
  ['1.500', '0', '1.5'],
  ['000', '0', ''],
  ['http://a//', '/', 'http://a'],
  ['', '/', ''],
])('%s without %s at its end is %s', (text, mark, expected) => {
  expect(trimEndOf(text, mark)).toBe(expected)
})
