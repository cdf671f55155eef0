import { describe, expect, test } from 'vitest'
import { shortDecimal } from './short-decimal.ts'

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
