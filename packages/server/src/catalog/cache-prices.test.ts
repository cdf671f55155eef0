import { describe, expect, test } from 'vitest'
import { readPriceTexts } from '../pricing/configured-price.ts'
import { withCachePrices } from './cache-prices.ts'

const prices = readPriceTexts({
  ...{ input: '3', output: '15', cache_write: '4' },
  tiers: [{ above_input_tokens: 200_000, input: '6', output: '22.50' }],
})!

describe('prices of a cache that are not listed', () => {
  test('are parts of the input at Anthropic, in each tier; what was written down stays', () => {
    expect(withCachePrices('anthropic', prices)).toMatchObject({
      ...{ cachedInput: 300_000_000_000n, cacheWrite: 4_000_000_000_000n, cacheWriteLong: 6_000_000_000_000n },
      tiers: [{ cachedInput: 600_000_000_000n, cacheWrite: 7_500_000_000_000n, cacheWriteLong: 12_000_000_000_000n }],
    })
  })

  test.each(['gemini', 'openai-compatible', 'openrouter', 'sandbox'] as const)('are not made up for %s', (kind) => {
    expect(withCachePrices(kind, prices)).toBe(prices)
  })
})
