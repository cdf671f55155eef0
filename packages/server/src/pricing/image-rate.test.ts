import { describe, expect, test } from 'vitest'
import { highestImageRate, likelyImageRate } from './image-rate.ts'
import type { RenderSettings } from './image-variants.ts'
import type { ImagePrices, ImageVariant } from './media-price.ts'
import { formatUsd, parseUsd, ZERO_USD } from './usd.ts'

const usd = (text: string) => parseUsd(text) ?? ZERO_USD

function variant(perImage: string, settings: Partial<Omit<ImageVariant, 'perImage'>>): ImageVariant {
  return { resolution: null, size: null, quality: null, mode: null, ...settings, perImage: usd(perImage) }
}

function pricesOf(perImage: string, variants: readonly ImageVariant[]): ImagePrices {
  const none = { perInputImage: null, perRequest: null, perInputToken: null, perInputImageToken: null }
  return { type: 'image', perImage: usd(perImage), variants, ...none }
}

const byQuality = pricesOf('0.011', [
  variant('0.011', { quality: 'low', size: '1024x1024' }),
  variant('0.042', { quality: 'medium', size: '1024x1024' }),
  variant('0.167', { quality: 'high', size: '1024x1024' }),
  variant('0.016', { quality: 'low', size: '1024x1536' }),
  variant('0.25', { quality: 'high', size: '1024x1536' }),
])
const byTier = pricesOf('0.048', [
  variant('0.041', { resolution: '768x768' }),
  variant('0.048', { resolution: '1K' }),
  variant('0.1', { resolution: '2K' }),
  variant('0.607', { resolution: '4K' }),
])
const byMegapixel = pricesOf('0.03', [
  variant('0.03', { size: '1MP' }),
  variant('0.045', { size: '2MP' }),
  variant('0.06', { size: '3MP' }),
])
const byMode = pricesOf('0.06', [
  variant('0.06', { resolution: '1K', mode: 'text' }),
  variant('0.07', { resolution: '1K', mode: 'moodboard' }),
])
const oneForAll = pricesOf('0.04', [])

const open: RenderSettings = { size: null, resolution: null, quality: null }

describe('the price of a render', () => {
  test.each<[string, ImagePrices, Partial<RenderSettings>, readonly [string, string]]>([
    ['nothing asked, qualities listed', byQuality, {}, ['0.011', '0.25']],
    ['auto is nothing asked', byQuality, { quality: 'auto', size: 'auto' }, ['0.011', '0.25']],
    ['a quality and a size', byQuality, { quality: 'high', size: '1024x1024' }, ['0.167', '0.167']],
    ['an older name of a quality', byQuality, { quality: 'hd', size: '1024x1536' }, ['0.25', '0.25']],
    ['a quality that the list does not know', byQuality, { quality: 'max', size: '1024x1024' }, ['0.011', '0.167']],
    ['a size between two', byQuality, { quality: 'low', size: '1100x1100' }, ['0.016', '0.016']],
    ['a size beyond the list, in proportion', byQuality, { quality: 'high', size: '2048x2048' }, ['0.75', '0.75']],
    ['nothing asked, tiers listed: the usual tier', byTier, {}, ['0.041', '0.048']],
    ['a tier by its name', byTier, { resolution: '2K' }, ['0.1', '0.1']],
    ['a tier in the size', byTier, { size: '4k' }, ['0.607', '0.607']],
    ['pixels, by the tier that holds them', byTier, { size: '2048x2048' }, ['0.1', '0.1']],
    ['pixels of a wide image', byTier, { size: '1536x1024' }, ['0.048', '0.048']],
    ['a tier beside fewer pixels', byTier, { size: '512x512', resolution: '4K' }, ['0.607', '0.607']],
    ['a tier beside a smaller tier', byTier, { size: '1K', resolution: '4K' }, ['0.607', '0.607']],
    ['pixels beside a smaller tier', byTier, { size: '2048x2048', resolution: '1K' }, ['0.1', '0.1']],
    ['pixels beside the tier that holds them', byTier, { size: '1536x1024', resolution: '1K' }, ['0.048', '0.048']],
    ['a tier beside fewer megapixels', byMegapixel, { size: '1024x1024', resolution: '1.5K' }, ['0.06', '0.06']],
    ['megapixels', byMegapixel, { size: '1024x1024' }, ['0.03', '0.03']],
    ['megapixels, rounded up', byMegapixel, { size: '1500x1500' }, ['0.06', '0.06']],
    ['modes, where the request does not tell', byMode, {}, ['0.06', '0.07']],
    ['a size that every object has', byTier, { size: 'constructor', quality: '__proto__' }, ['0.041', '0.048']],
    ['one price, no size', oneForAll, { size: '__proto__', resolution: 'toString' }, ['0.04', '0.04']],
    ['one price, a usual size', oneForAll, { size: '1024x1024' }, ['0.04', '0.04']],
    ['one price, a larger size, in proportion', oneForAll, { size: '2048x2048' }, ['0.12', '0.12']],
  ])('%s', (_name, prices, settings, [likely, highest]) => {
    expect(formatUsd(likelyImageRate(prices, { ...open, ...settings }))).toBe(likely)
    expect(formatUsd(highestImageRate(prices, { ...open, ...settings }))).toBe(highest)
  })
})
