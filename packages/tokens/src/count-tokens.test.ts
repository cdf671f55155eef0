import { describe, expect, test } from 'vitest'
import { countTokens, splitIntoTokens } from './count-tokens.ts'

describe('counting tokens', () => {
  test.each([
    ['nothing', '', 0],
    ['two words', 'hello world', 2],
    ['100,000 times one letter', 'a'.repeat(100_000), 12_500],
    ['100,000 spaces', ' '.repeat(100_000), 782],
    ['100,000 exclamation marks', '!'.repeat(100_000), 6_250],
    ['25,000 emoji', '🎉'.repeat(25_000), 50_000],
  ])('%s', (_name, text, count) => {
    expect(countTokens(text)).toBe(count)
  })

  test('text that looks like a special token is counted as text', () => {
    expect(countTokens('<|endoftext|>')).toBeGreaterThan(1)
  })

  test('long prose costs as much as the sum of its sentences', () => {
    const sentence = ' The gateway holds credits before it asks an upstream.'
    expect(countTokens(sentence.repeat(2_000))).toBe(countTokens(sentence) * 2_000)
  })

  test('33,000 characters without a space are counted', () => {
    expect(countTokens('的一是不了在人有我他'.repeat(3_300))).toBeGreaterThan(10_000)
  })
})

describe('splitting into tokens', () => {
  test.each([
    'Hello, world! How are you?',
    'naïve 🏳️‍🌈 flags 🎉 and 漢字, mixed',
    '{"city":"Zürich","days":3}',
    '\ufeffa byte order mark in front',
    'half a pair \ud83c in the middle',
    '🎉🏳️‍🌈'.repeat(10),
  ])('%j: one part a token, and joined the text', (text) => {
    const parts = splitIntoTokens(text)
    expect(parts.join('')).toBe(text)
    expect(parts).toHaveLength(countTokens(text))
  })
})
