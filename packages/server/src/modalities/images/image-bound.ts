/** What images can cost at most, by the settings that decide their price. Pure. */
import { nanocreditsOf, type Nanocredits } from '@svc/contract'
import type { Bound } from '../../pipeline/paid-work.ts'
import type { BoundLine } from '../../pricing/bound-line.ts'
import { highestImageRate } from '../../pricing/image-rate.ts'
import type { RenderSettings } from '../../pricing/image-variants.ts'
import type { ImagePrices } from '../../pricing/media-price.ts'
import type { AttoUsd } from '../../pricing/price.ts'
import { attoUsdOf, chargeForCost, ZERO_USD } from '../../pricing/usd.ts'

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

/** The most that one render can cost, as quantities and prices. */
function renderCosts(
  prices: ImagePrices,
  { settings, inputs, promptBytes }: ImageSize,
): readonly (Omit<BoundLine, 'perUnit'> & { readonly perUnit: AttoUsd })[] {
  return [
    { unit: 'images', quantity: 1, perUnit: highestImageRate(prices, settings) },
    { unit: 'requests', quantity: 1, perUnit: prices.perRequest ?? ZERO_USD },
    { unit: 'prompt_tokens', quantity: promptBytes, perUnit: prices.perInputToken ?? ZERO_USD },
    { unit: 'input_images', quantity: inputs, perUnit: prices.perInputImage ?? ZERO_USD },
    {
      unit: 'input_image_tokens',
      quantity: inputs * INPUT_IMAGE_TOKENS,
      perUnit: prices.perInputImageToken ?? ZERO_USD,
    },
  ]
}

/**
 * The most that one render can cost: the dearest price that the settings leave open, and all that is charged beside it,
 * since each render may take a call of its own. Source: decision 0022 (size of a hold).
 */
function boundRender(prices: ImagePrices, size: ImageSize): Nanocredits {
  const costs = renderCosts(prices, size)
  const whole = costs.reduce((sum, { quantity, perUnit }) => sum + BigInt(quantity) * perUnit, 0n)
  return chargeForCost(attoUsdOf(whole))
}

/** The list at which a render is dearest. @param lists of every upstream that may serve the request; at least one. */
function dearestList(lists: readonly ImagePrices[], size: ImageSize): ImagePrices {
  return lists.reduce((most, each) => (boundRender(each, size) > boundRender(most, size) ? each : most))
}

/** @param lists of every upstream that may serve the request; at least one. */
export function boundImages(lists: readonly ImagePrices[], size: ImageSize): Bound {
  const perUnit = boundRender(dearestList(lists, size), size)
  return { fixed: nanocreditsOf(0n), perUnit, units: size.count, policy: 'exact', firstUnits: 0 }
}

/** The same bound as quantities and prices: each render may take a call of its own, with all that is given. */
export function imageLines(lists: readonly ImagePrices[], size: ImageSize): readonly BoundLine[] {
  return renderCosts(dearestList(lists, size), size).map(({ unit, quantity, perUnit }) => ({
    ...{ unit, quantity: quantity * size.count, perUnit: chargeForCost(perUnit) },
  }))
}
