import { expect, test } from 'vitest'
import { exactText, monthsBetween, signedText } from './statement-text.ts'

test.each([
  ['0', '0', '0'],
  ['1234567.000000001', '1,234,567.000000001', '+1,234,567.000000001'],
  ['-1234.5', '−1,234.5', '−1,234.5'],
  ['999', '999', '+999'],
])('%s keeps every digit', (text, exact, signed) => {
  expect([exactText(text), signedText(text)]).toEqual([exact, signed])
})

test('months are listed newest first, over the end of a year', () => {
  expect(monthsBetween('2025-11', '2026-02')).toEqual(['2026-02', '2026-01', '2025-12', '2025-11'])
  expect(monthsBetween('2026-02', '2026-02')).toEqual(['2026-02'])
})
