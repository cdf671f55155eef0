import { expect, test } from 'vitest'
import { creditsText, usdText } from './credits-text.ts'

test('credits have their unit, and dollars are a thousandth', () => {
  expect(creditsText('1')).toBe('1 credit')
  expect(creditsText('2500')).toBe('2,500 credits')
  expect(usdText('2500')).toBe('$2.50')
  expect(usdText('0.00318')).toBe('$0.00000318')
})
