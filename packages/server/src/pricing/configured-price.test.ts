import { expect, test } from 'vitest'
import { readPriceTexts } from './configured-price.ts'

const plain = { input: '0.15', output: '0.60' }

test('a configured price is exact per token', () => {
  expect(readPriceTexts({ ...plain, cached_input: '0.0000001', request: '0.01' })).toEqual({
    input: 150_000_000_000n,
    output: 600_000_000_000n,
    cachedInput: 100_000n,
    cacheWrite: null,
    request: 10_000_000_000_000_000n,
    tiers: [],
  })
})

test('tiers are put in rising order', () => {
  const tier = { input: '1', output: '2' }
  const prices = readPriceTexts({
    ...plain,
    tiers: [
      { ...tier, above_input_tokens: 200_000 },
      { ...tier, above_input_tokens: 100_000 },
    ],
  })
  expect(prices?.tiers.map((entry) => entry.aboveInputTokens)).toEqual([100_000, 200_000])
})

test('a price that is no decimal of zero or more is refused', () => {
  expect(readPriceTexts({ ...plain, input: '-1' })).toBeNull()
  expect(readPriceTexts({ ...plain, cached_input: 'free' })).toBeNull()
  expect(readPriceTexts({ ...plain, request: '' })).toBeNull()
})

test('zero is a price', () => {
  expect(readPriceTexts({ ...plain, input: '0', output: '0' })).toMatchObject({ input: 0n, output: 0n })
})
