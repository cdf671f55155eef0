/** What images can cost at most, by the settings that decide their price. Pure. */
import { nanocreditsOf, type Nanocredits } from '@svc/contract'
import type { Bound } from '../../pipeline/paid-work.ts'
import { highestImageRate } from '../../pricing/image-rate.ts'
import type { RenderSettings } from '../../pricing/image-variants.ts'
import type { ImagePrices } from '../../pricing/media-price.ts'
import { attoUsdOf, chargeForCost } from '../../pricing/usd.ts'

/** Tokens of one given image at most, where a list sells them: by OpenAI's table for high fidelity, rounded up. */
const INPUT_IMAGE_TOKENS = 6_240

/** What decides the price of a request for images. */
export interface ImageSize {
  readonly count: number
  readonly settings: RenderSettings
  /** Images that the request gives. */
  readonly inputs: number
  /** UTF-8 bytes: where a list sells tokens of the prompt, one is at least a byte. */
  readonly promptBytes: number
}

/**
 * The most that one render can cost: the dearest price that the settings leave open, and all that is charged beside it,
 * since each render may take a call of its own. Source: decision 0022 (size of a hold).
 */
function boundRender(prices: ImagePrices, { settings, inputs, promptBytes }: ImageSize): Nanocredits {
  const text = BigInt(promptBytes) * (prices.perInputToken ?? 0n)
  const given = (prices.perInputImage ?? 0n) + (prices.perInputImageToken ?? 0n) * BigInt(INPUT_IMAGE_TOKENS)
  const whole = highestImageRate(prices, settings) + (prices.perRequest ?? 0n) + text + given * BigInt(inputs)
  return chargeForCost(attoUsdOf(whole))
}

/** @param lists of every upstream that may serve the request; at least one. */
export function boundImages(lists: readonly ImagePrices[], size: ImageSize): Bound {
  const perUnit = lists.map((prices) => boundRender(prices, size)).reduce((most, each) => (each > most ? each : most))
  return { fixed: nanocreditsOf(0n), perUnit, units: size.count, policy: 'exact', firstUnits: 0 }
}
