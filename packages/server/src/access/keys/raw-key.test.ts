import { describe, expect, test } from 'vitest'
import { createRawKey, displayOfKey, hashKey, isWellFormedKey, KEY_PREFIX } from './raw-key.ts'

describe('a raw key', () => {
  test('has the prefix, 49 characters of base 62, and its own checksum', () => {
    for (let count = 0; count < 100; count++) {
      const key = createRawKey()
      expect(key).toMatch(/^sk-svc-[0-9A-Za-z]{49}$/)
      expect(isWellFormedKey(key)).toBe(true)
    }
  })

  test('is never made twice', () => {
    const keys = new Set(Array.from({ length: 1_000 }, createRawKey))
    expect(keys.size).toBe(1_000)
  })

  test('with any one character changed is not well-formed', () => {
    const key = createRawKey()
    for (let index = 0; index < key.length; index++) {
      const other = key[index] === 'x' ? 'y' : 'x'
      expect(isWellFormedKey(key.slice(0, index) + other + key.slice(index + 1))).toBe(false)
    }
  })

  test.each([
    '',
    'sk-svc-',
    `${KEY_PREFIX}${'0'.repeat(49)}`,
    `${createRawKey()} `,
    `${createRawKey()}\n`,
    'sk-or-v1-abc',
  ])('is not %j', (text) => expect(isWellFormedKey(text)).toBe(false))
})

test('the hash depends on the key and on the pepper, and is 64 hex digits', () => {
  const key = createRawKey()
  expect(hashKey(key, 'a')).toMatch(/^[0-9a-f]{64}$/)
  expect(hashKey(key, 'a')).toBe(hashKey(key, 'a'))
  expect(hashKey(key, 'a')).not.toBe(hashKey(key, 'b'))
  expect(hashKey(key, 'a')).not.toBe(hashKey(createRawKey(), 'a'))
})

test('the display form shows four characters of the secret at each end', () => {
  const key = createRawKey()
  expect(displayOfKey(key)).toBe(`sk-svc-${key.slice(7, 11)}…${key.slice(-4)}`)
})
