import { expect, test } from 'vitest'
import type { ImagePrices } from '../prices.ts'
import { costOfMedia } from './media-cost.ts'
import { imageTokens, usedQuality } from './image-tokens.ts'

const priceOf = (milliUsd: bigint) => milliUsd * 10n ** 15n
const variants = (
  [
    ['low', 11n],
    ['medium', 42n],
    ['high', 167n],
  ] as const
).map(([quality, price]) => ({
  ...{ quality, size: '1024x1024', resolution: null, mode: null },
  perImage: priceOf(price),
}))
const prices: ImagePrices = {
  type: 'image',
  perImage: priceOf(11n),
  variants,
  perInputImage: null,
  perRequest: null,
}

test.each([
  [null, 272, '0.011'],
  ['auto', 272, '0.011'],
  ['low', 272, '0.011'],
  ['medium', 1_056, '0.042'],
  ['high', 4_160, '0.167'],
])('an image of quality %s counts the tokens that its price is for', (asked, tokens, cost) => {
  const quality = usedQuality(prices, asked)
  const use = { type: 'image', renders: 1, inputs: 0, width: 1_024, height: 1_024, quality, resolution: null } as const
  expect([imageTokens(quality, 1_048_576), costOfMedia(prices, use)]).toEqual([tokens, cost])
})

test('a list without qualities names none, and tokens grow with the image', () => {
  expect(usedQuality({ ...prices, variants: [] }, null)).toBeNull()
  expect(imageTokens('low', 1_024 * 1_536)).toBe(408)
})
