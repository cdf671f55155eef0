import type { ImagePrices } from '../prices.ts'

/**
 * Tokens of an image of 1,024 by 1,024 pixels. Source: OpenAI, "Image generation", cost of `gpt-image-1`; the last
 * two, of newer models, in proportion to their prices.
 */
const tokensOf: ReadonlyMap<string, number> = new Map([
  ['low', 272],
  ['medium', 1_056],
  ['high', 4_160],
  ['xhigh', 7_396],
  ['max', 16_640],
])
/** Where the quality is unknown. Source: own choice, the most that OpenAI's older models count. */
const TOKENS_DEFAULT = 4_160
const PIXELS = 1_048_576

/**
 * The quality that an image is made in: the one asked for, else the one that the list's standard price is for.
 *
 * @param asked null and `auto` leave it to the model.
 * @returns null where the list knows no qualities.
 */
export function usedQuality(prices: ImagePrices, asked: string | null): string | null {
  if (asked !== null && asked !== 'auto') return asked
  return prices.variants.find((each) => each.quality !== null && each.perImage === prices.perImage)?.quality ?? null
}

/** Tokens that one image counts, in the quality that it was made in. */
export function imageTokens(quality: string | null, pixels: number): number {
  return Math.round(((tokensOf.get(quality ?? '') ?? TOKENS_DEFAULT) * pixels) / PIXELS)
}
