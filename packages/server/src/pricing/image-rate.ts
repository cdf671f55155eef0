/** Which price of a list a render has. */
import { fittingVariants, type RenderSettings } from './image-variants.ts'
import type { ImagePrices } from './media-price.ts'
import type { AttoUsd } from './price.ts'
import { attoUsdOf } from './usd.ts'

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
  const isStandard = ({ perImage }: { readonly perImage: AttoUsd }): boolean => perImage === prices.perImage
  const { variants, times } = fittingVariants(prices.variants, settings, isStandard)
  const amount = variants.length === 0 ? prices.perImage : variants.map(({ perImage }) => perImage).reduce(choose)
  return attoUsdOf(amount * BigInt(times))
}
