import { expect, test } from 'vitest'
import { assetAmount } from './asset-amount.ts'

test.each([
  ['25.000000', '25'],
  ['1000.000000', '1,000'],
  ['0.123456789000000000', '0.123456789'],
  ['12', '12'],
])('%j is shown as %j', (amount, shown) => {
  expect(assetAmount(amount, 'ETH')).toBe(`${shown} ETH`)
})
