import { expect, test } from 'vitest'
import { parseByteRange } from './byte-range.ts'

test.each([
  ['bytes=0-99', { start: 0, end: 99 }],
  ['bytes=900-', { start: 900, end: 999 }],
  ['bytes=-1', { start: 999, end: 999 }],
  ['bytes=-5000', { start: 0, end: 999 }],
  ['bytes=10-5000', { start: 10, end: 999 }],
  ['Bytes = 5-5', { start: 5, end: 5 }],
])('%s of 1,000 bytes is a part', (header, range) => {
  expect(parseByteRange(header, 1_000)).toEqual(range)
})

test.each(['bytes=1000-', 'bytes=5000-6000', 'bytes=-0'])('%s of 1,000 bytes is nowhere', (header) => {
  expect(parseByteRange(header, 1_000)).toBe('unsatisfiable')
})

test.each([undefined, '', 'bytes=-', 'bytes=5-4', 'bytes=0-1,5-6', 'bytes=a-b', 'items=0-1', 'bytes=0x1-2', '0-1'])(
  '%s asks for the whole',
  (header) => {
    expect(parseByteRange(header, 1_000)).toBeNull()
  },
)

test('an empty file has no part', () => {
  expect(parseByteRange('bytes=0-', 0)).toBe('unsatisfiable')
  expect(parseByteRange('bytes=-5', 0)).toBe('unsatisfiable')
})
