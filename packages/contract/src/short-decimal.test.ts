import { describe, expect, test } from 'vitest'
import { shortBalance, shortDecimal } from './short-decimal.ts'

describe('shortDecimal', () => {
  test.each([
    ['0', '0'],
    ['12', '12'],
    ['0.00318', '0.00318'],
    ['0.000000001', '0.000000001'],
    ['0.123456789', '0.123457'],
    ['0.0123456789', '0.0123457'],
    ['9999.999999', '10,000'],
    ['1234567.891', '1,234,568'],
    ['999999999999', '999,999,999,999'],
    ['12.500000000', '12.5'],
    ['-3.25', '-3.25'],
    ['0.9999999', '1'],
  ])('%s is shown as %s', (exact, shown) => {
    expect(shortDecimal(exact)).toBe(shown)
  })

  test('anything that is no decimal stays as it is', () => {
    expect(shortDecimal('1e5')).toBe('1e5')
  })
})

describe('shortBalance', () => {
  test.each([
    ['99999.999877', '99,999.9'],
    ['9.999999999', '9.99999'],
    ['1234567.891', '1,234,567'],
    ['100000', '100,000'],
    ['0.0000009999999', '0.000000999999'],
    ['-0.12345612', '-0.123457'],
    ['0', '0'],
  ])('%s is shown as %s: never more than there is', (exact, shown) => {
    expect(shortBalance(exact)).toBe(shown)
  })
})
