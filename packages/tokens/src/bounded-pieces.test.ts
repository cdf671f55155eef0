import { describe, expect, test } from 'vitest'
import { cutIntoPieces } from './bounded-pieces.ts'

const LONE_HALF = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

const texts: Record<string, string> = {
  nothing: '',
  'one letter': 'a'.repeat(100_000),
  spaces: ' '.repeat(100_000),
  'lines without a space': 'word\n'.repeat(20_000),
  'characters without spaces': '的一是不了在人有我他'.repeat(3_300),
  emoji: '🎉'.repeat(25_000),
  'emoji behind one letter': `a${'🎉'.repeat(25_000)}`,
  prose: 'The quick brown fox jumps over the lazy dog. '.repeat(2_000),
  'runs just below the limit': `${'a'.repeat(255)} `.repeat(400),
  'half a pair': `${'a'.repeat(511)}\ud83c${'b'.repeat(600)}`,
}

describe('pieces of a text', () => {
  test.each(Object.entries(texts))('%s: joined they are the text', (_name, text) => {
    expect(cutIntoPieces(text).join('')).toBe(text)
  })

  test.each(Object.entries(texts))('%s: no piece holds a longer run than allowed', (_name, text) => {
    for (const piece of cutIntoPieces(text)) {
      expect(piece.length).toBeLessThanOrEqual(4_097)
      if (piece.length > 513) expect(piece).not.toMatch(/\S{256}|\s{256}/u)
    }
  })

  test('a pair of surrogates is never cut, wherever the cut falls', () => {
    for (let shift = 0; shift < 4; shift++) {
      for (const text of [
        `${'a'.repeat(shift)}${'🎉'.repeat(5_000)}`,
        `${'b\n'.repeat(2_047)}${'c'.repeat(shift)}🎉 d`.repeat(3),
      ]) {
        for (const piece of cutIntoPieces(text)) expect(piece).not.toMatch(LONE_HALF)
      }
    }
  })

  test('prose is cut before a space, where no token spans the cut', () => {
    const pieces = cutIntoPieces(texts['prose'] as string)
    expect(pieces.length).toBeGreaterThan(1)
    for (const piece of pieces.slice(1)) expect(piece.startsWith(' ')).toBe(true)
  })
})
