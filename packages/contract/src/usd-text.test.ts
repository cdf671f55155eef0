import { expect, test } from 'vitest'
import { usdShown } from './usd-text.ts'

test.each([
  ['37.5', '$37.50', '$37.50', '$37.50'],
  ['1234567.891', '$1,234,567.891', '$1,234,568.00', '$1,234,567.00'],
  ['0', '$0.00', '$0.00', '$0.00'],
  ['0.000252123456', '$0.000252123456', '$0.000252123', '$0.000252123'],
  ['0.0009999999', '$0.0009999999', '$0.001', '$0.000999999'],
  ['-2.5', '−$2.50', '−$2.50', '−$2.50'],
])('%s USD has two decimals at least', (dollars, exact, rounded, down) => {
  expect([usdShown(dollars, 'exact'), usdShown(dollars), usdShown(dollars, 'down')]).toEqual([exact, rounded, down])
})
