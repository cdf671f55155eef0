import { describe, expect, test } from 'vitest'
import { embedText } from './embed-text.ts'

const vectorOf = (text: string | readonly number[], dimensions = 1_536, seed = 'svc'): Float32Array =>
  embedText(text, { dimensions, seed })

const similarity = (left: Float32Array, right: Float32Array): number =>
  left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0)

describe('a vector', () => {
  test.each(['A red apple', '…', 'приве́т мир', '日本語のテキスト', 'x'.repeat(5_000), [1, 2, 3]])(
    'of %j has length one and is the same each time',
    (text) => {
      for (const dimensions of [1, 2, 7, 256, 3_072]) {
        const vector = vectorOf(text, dimensions)
        expect(vector).toHaveLength(dimensions)
        expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
        expect(vectorOf(text, dimensions)).toEqual(vector)
      }
    },
  )

  test('that is shorter is the beginning of a longer one', () => {
    const long = vectorOf('A red apple', 1_024).subarray(0, 256)
    expect(similarity(vectorOf('A red apple', 256), long) / Math.hypot(...long)).toBeCloseTo(1, 5)
  })

  test('is another for another seed', () => {
    expect(Math.abs(similarity(vectorOf('A red apple'), vectorOf('A red apple', 1_536, 'other')))).toBeLessThan(0.2)
  })
})

test('texts are the nearer the more words they share, whatever their case', () => {
  const pie = vectorOf('How to bake an apple pie')
  expect(similarity(pie, vectorOf('HOW TO BAKE AN APPLE PIE!'))).toBeCloseTo(1, 5)
  const [tart, cake, ledger] = ['Bake an apple tart', 'A cake without apples', 'Double entry bookkeeping'].map((text) =>
    similarity(pie, vectorOf(text)),
  )
  expect(tart).toBeGreaterThan(cake!)
  expect(cake).toBeGreaterThan(ledger!)
  expect(Math.abs(ledger!)).toBeLessThan(0.15)
})
