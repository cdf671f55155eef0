/** Which price of a list a second of video has. */
import type { VideoPrices, VideoVariant } from './media-price.ts'
import type { AttoUsd } from './price.ts'

/** Settings that decide a price; null where it is not said. */
export interface FrameSettings {
  readonly resolution: string | null
  readonly hasAudio: boolean | null
}

/**
 * What a second with these settings costs by list: where several prices may apply the dearest, and where none is known
 * the dearest of all, since a hold is a bound. Source: decision 0024 (video jobs).
 */
export function videoRate(prices: VideoPrices, { resolution, hasAudio }: FrameSettings): AttoUsd {
  const fits = (variant: VideoVariant): boolean =>
    (variant.resolution === null || sameText(variant.resolution, resolution)) &&
    (variant.audio === null || hasAudio === null || variant.audio === hasAudio)
  const fitting = prices.variants.filter(fits)
  const candidates = fitting.length > 0 ? fitting : prices.variants
  return candidates.reduce(
    (dearest, { perSecond }) => (perSecond > dearest ? perSecond : dearest),
    candidates[0]?.perSecond ?? prices.perSecond,
  )
}

function sameText(left: string, right: string | null): boolean {
  return right !== null && left.toLowerCase() === right.toLowerCase()
}
