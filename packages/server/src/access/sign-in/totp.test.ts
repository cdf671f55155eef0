import { expect, test } from 'vitest'
import { base32, findTotpStep, totpAddress, totpCode, totpStep } from './totp.ts'

const SECRET = Buffer.from('12345678901234567890')

// RFC 6238 appendix B, the last six of its eight digits.
test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('the code at second %i is the one of the standard', (seconds, code) => {
  expect(totpCode(SECRET, totpStep(seconds * 1_000))).toBe(code)
})

test('a code counts in its own step and in those beside it, and blanks in it do not matter', () => {
  const now = 1_111_111_111_000
  const step = totpStep(now)
  for (const off of [-1, 0, 1]) expect(findTotpStep(SECRET, totpCode(SECRET, step + off), now)).toBe(step + off)
  for (const off of [-2, 2]) expect(findTotpStep(SECRET, totpCode(SECRET, step + off), now)).toBeNull()
  expect(findTotpStep(SECRET, '050 471', now)).toBe(step)
  for (const wrong of ['', '05047', '0504710', 'abcdef', '05047١']) expect(findTotpStep(SECRET, wrong, now)).toBeNull()
})

// RFC 4648 section 10, without padding.
test.each([
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foobar', 'MZXW6YTBOI'],
])('%s in base 32 is %s', (text, coded) => {
  expect(base32(Buffer.from(text))).toBe(coded)
})

test('the address names issuer and person as they are', () => {
  const address = new URL(totpAddress(SECRET, { issuer: 'A & B', person: 'ada@example.com' }))
  expect(decodeURIComponent(address.pathname)).toBe('/A & B:ada@example.com')
  expect(Object.fromEntries(address.searchParams)).toEqual({
    ...{ secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', issuer: 'A & B' },
  })
})
