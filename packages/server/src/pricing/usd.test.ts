import { nanocreditsOf } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { attoUsdOf, chargeForCost, costAtPar, costCoveredBy, formatDecimal, formatUsd, parseUsd } from './usd.ts'

describe('parseUsd', () => {
  test.each([
    ['0', 0n],
    ['1', 10n ** 18n],
    ['0.1', 10n ** 17n],
    ['.5', 5n * 10n ** 17n],
    ['2.', 2n * 10n ** 18n],
    ['0.000000000000000001', 1n],
    ['1e-7', 10n ** 11n],
    ['9.5E-4', 95n * 10n ** 13n],
    ['1E+2', 100n * 10n ** 18n],
    ['0e999999', 0n],
    ['0.00037241000000000003', 372_410_000_000_001n],
    ['999999.999999999999999999', 999_999_999_999_999_999_999_999n],
  ])('reads %s exactly', (text, amount) => {
    expect(parseUsd(text)).toBe(amount)
  })

  test('rounds up what is smaller than 10⁻¹⁸ USD, so that no cost is read as less than it is', () => {
    expect(parseUsd('0.0000000000000000001')).toBe(1n)
    expect(parseUsd('1e-300')).toBe(1n)
    expect(parseUsd('0.0000000000000000011')).toBe(2n)
  })

  test.each([
    '',
    '.',
    '-1',
    '-0.5',
    '+1',
    'NaN',
    'Infinity',
    '1,5',
    '0x10',
    ' 1',
    '1e',
    '1000000',
    '1e6',
    '1e999999',
    '1e9999999',
  ])('refuses %j', (text) => {
    expect(parseUsd(text)).toBeNull()
  })

  test('refuses a text that is too long to be an amount', () => {
    expect(parseUsd(`0.${'1'.repeat(1_000)}`)).toBeNull()
  })
})

test('an amount is printed without exponent and trailing zeros, and read back as the same', () => {
  for (const text of ['0', '1', '0.1', '123.000000000000000001', '0.00000000025']) {
    expect(formatUsd(parseUsd(text) ?? attoUsdOf(-1n))).toBe(text)
  }
  expect(formatDecimal(1_250n, 3)).toBe('1.25')
})

test('the greatest cost has a charge within 64 bits', () => {
  expect(chargeForCost(parseUsd('999999.999999999999999999') ?? attoUsdOf(0n))).toBeLessThan(2n ** 63n)
})

test('a cost is charged at 1.2 times, and only what is left of a nanocredit rounds up', () => {
  expect(chargeForCost(parseUsd('0.01') ?? attoUsdOf(0n))).toBe(12_000_000_000n)
  expect(chargeForCost(parseUsd('0.5') ?? attoUsdOf(0n))).toBe(600_000_000_000n)
  expect(chargeForCost(attoUsdOf(0n))).toBe(0n)
  expect(chargeForCost(attoUsdOf(1n))).toBe(1n)
  expect(costAtPar(attoUsdOf(1_000_001n))).toBe(2n)
})

test('the cost that a selling price covers is never charged above that price', () => {
  for (const price of [1n, 50n, 180n, 230n, 12_000n, 999_999_999_999n]) {
    const cost = costCoveredBy(nanocreditsOf(price))
    expect(chargeForCost(cost)).toBe(price)
    expect(chargeForCost(attoUsdOf(cost + 1n))).toBeGreaterThanOrEqual(price)
  }
})
