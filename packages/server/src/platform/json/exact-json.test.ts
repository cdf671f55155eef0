import { expect, test } from 'vitest'
import { parseExactly } from './exact-json.ts'

test.each(['12345678901234567890', '1.0', '1e400', '0.1000000000000000055', '-0'])('%s keeps its digits', (digits) => {
  expect(JSON.stringify(parseExactly(`{"a":[${digits}]}`))).toBe(`{"a":[${digits}]}`)
})

test('an ordinary number is a number', () => {
  expect(parseExactly('{"a":12,"b":0.5,"c":"1.0"}')).toEqual({ a: 12, b: 0.5, c: '1.0' })
})
