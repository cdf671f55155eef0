/** Which price of a list a render has: lists name qualities, sizes in pixels or megapixels, and tiers such as `2K`. */
import type { ImagePrices, ImageVariant } from './media-price.ts'
import type { AttoUsd } from './price.ts'
import { attoUsdOf } from './usd.ts'

/** Settings that decide a price; null where the request or the answer does not say, or says `auto`. */
export interface RenderSettings {
  /** `1024x1536`, or a tier such as `2K`. */
  readonly size: string | null
  readonly resolution: string | null
  readonly quality: string | null
}

/** What a render with these settings costs by list: where several prices fit, the cheapest of them. */
export function likelyImageRate(prices: ImagePrices, settings: RenderSettings): AttoUsd {
  return pick(prices, settings, (left, right) => (right < left ? right : left))
}

/**
 * The most that a render with these settings costs by list: where the settings leave it open, the dearest that the
 * upstream may choose. Source: decision 0022 (size of a hold).
 */
export function highestImageRate(prices: ImagePrices, settings: RenderSettings): AttoUsd {
  return pick(prices, settings, (left, right) => (right > left ? right : left))
}

type Choose = (left: AttoUsd, right: AttoUsd) => AttoUsd

function pick(prices: ImagePrices, settings: RenderSettings, choose: Choose): AttoUsd {
  const ofQuality = withQuality(prices.variants, settings.quality)
  if (ofQuality.length === 0) return scaled(prices.perImage, wantedPixels(settings), USUAL_PIXELS)
  const wanted = wantedPixels(settings)
  const fitting = wanted === null ? ofUsualSize(ofQuality, prices) : largeEnough(ofQuality, settings, wanted)
  if (fitting.length > 0) return fitting.map((variant) => variant.perImage).reduce(choose)
  const most = Math.max(...ofQuality.map(pixelsOf))
  const largest = ofQuality.filter((variant) => pixelsOf(variant) === most)
  return scaled(largest.map((variant) => variant.perImage).reduce(choose), wanted, most)
}

/** A picture that is larger than every price of the list costs in proportion, by whole multiples. */
function scaled(amount: AttoUsd, wanted: number | null, listed: number): AttoUsd {
  if (wanted === null || wanted <= listed) return amount
  return attoUsdOf(amount * BigInt(Math.ceil(wanted / listed)))
}

/** Qualities by names that upstreams use for the same. */
const qualityNames: Readonly<Record<string, string>> = { hd: 'high', standard: 'medium' }

function withQuality(variants: readonly ImageVariant[], asked: string | null): readonly ImageVariant[] {
  if (asked === null || asked === 'auto') return variants
  const quality = asked.toLowerCase()
  const matching = variants.filter(
    (variant) => variant.quality === null || variant.quality === quality || variant.quality === qualityNames[quality],
  )
  // A quality that the list does not know is priced as whichever it may be.
  return matching.length === 0 ? variants : matching
}

/** Pixels of a picture that nobody asked a size for, at most: 1024 × 1536 and a little. */
const USUAL_PIXELS = 1_700_000

function ofUsualSize(variants: readonly ImageVariant[], prices: ImagePrices): readonly ImageVariant[] {
  const standard = prices.variants.filter((variant) => variant.perImage === prices.perImage).map(pixelsOf)
  const most = Math.max(USUAL_PIXELS, Math.min(...standard))
  return variants.filter((variant) => pixelsOf(variant) === Number.POSITIVE_INFINITY || pixelsOf(variant) <= most)
}

function largeEnough(
  variants: readonly ImageVariant[],
  { size, resolution }: RenderSettings,
  wanted: number,
): readonly ImageVariant[] {
  const named = variants.filter(
    (variant) =>
      isSame(variant.size, size) || isSame(variant.resolution, resolution) || isSame(variant.resolution, size),
  )
  if (named.length > 0) return named
  const enough = variants.filter((variant) => pixelsOf(variant) >= wanted)
  const least = Math.min(...enough.map(pixelsOf))
  return enough.filter((variant) => pixelsOf(variant) === least)
}

function isSame(listed: string | null, asked: string | null): boolean {
  return listed !== null && asked !== null && listed.toLowerCase() === asked.toLowerCase()
}

/** Pixels that a tier reaches to, sides of 3:2 included. */
const tierPixels: Readonly<Record<string, number>> = {
  '512': 400_000,
  '1k': USUAL_PIXELS,
  '1.5k': 3_600_000,
  '2k': 6_300_000,
  '4k': 25_200_000,
}

const MEGAPIXEL = 1_048_576
const PIXELS = /^(\d{1,6})x(\d{1,6})$/i
const MEGAPIXELS = /^(\d{1,4}(?:\.\d+)?)MP$/i

/** Pixels that a price covers; a price without a size covers all. */
function pixelsOf({ size, resolution }: ImageVariant): number {
  return readPixels(size, tierPixels) ?? readPixels(resolution, tierPixels) ?? Number.POSITIVE_INFINITY
}

/** Pixels of a tier as it is meant: its square. */
const nominalPixels: Readonly<Record<string, number>> = {
  '512': 262_144,
  '1k': MEGAPIXEL,
  '1.5k': 2_359_296,
  '2k': 4_194_304,
  '4k': 16_777_216,
}

function wantedPixels({ size, resolution }: RenderSettings): number | null {
  return readPixels(size, nominalPixels) ?? readPixels(resolution, nominalPixels)
}

function readPixels(text: string | null, tiers: Readonly<Record<string, number>>): number | null {
  if (text === null) return null
  const pixels = PIXELS.exec(text)
  if (pixels !== null) return Number(pixels[1]) * Number(pixels[2])
  const megapixels = MEGAPIXELS.exec(text)
  if (megapixels !== null) return Number(megapixels[1]) * MEGAPIXEL
  return tiers[text.toLowerCase()] ?? null
}
