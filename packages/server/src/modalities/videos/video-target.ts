/** One upstream that may make a video, what it would be asked for, and what that costs there. */
import type { Nanocredits, VideoRequest } from '@svc/contract'
import { nanocreditsOf } from '@svc/contract'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { Bound } from '../../pipeline/paid-work.ts'
import type { SelectTarget } from '../../pipeline/routing/list-targets.ts'
import type { Target } from '../../pipeline/routing/target.ts'
import { type BoundLine, sumOfLines } from '../../pricing/bound-line.ts'
import type { VideoPrices } from '../../pricing/media-price.ts'
import { chargeForCost, ZERO_USD } from '../../pricing/usd.ts'
import type { VideoFile, VideoUpstream } from '../../upstreams/video-upstream.ts'
import { chargeVideo, snapshotPrice, type VideoPriceSnapshot } from './video-price.ts'
import { chooseSettings, countImages, type VideoSettings } from './video-settings.ts'

export interface VideoTarget extends Target {
  readonly port: VideoUpstream
  /** What is left open in a request is chosen by what each upstream's model can do. */
  readonly settings: VideoSettings
  readonly price: VideoPriceSnapshot
  readonly estimate: Nanocredits
}

/** The targets of a submission: those that make videos, and the one that is asked for. */
export function videoTarget(request: VideoRequest, file: VideoFile | null): SelectTarget<VideoTarget> {
  return ({ upstream, upstreamModel, media }) => {
    if (media?.type !== 'video') return null
    const { videos: port } = upstream
    if (port === null) {
      throw new ServiceError('invalid_value', 'This model does not support videos.', { param: 'model' })
    }
    const settings = chooseSettings(request, media, file)
    return {
      upstream,
      upstreamModel,
      port,
      settings,
      ...estimateVideo(media.prices, settings, countImages(settings)),
    }
  }
}

/** The target whose video would cost the most. */
export function dearestOf(targets: readonly [VideoTarget, ...VideoTarget[]]): VideoTarget {
  return targets.reduce((most, each) => (each.estimate > most.estimate ? each : most))
}

/** What a video with these settings costs at one upstream, as far as it can be said before. @param images that are given. */
export function estimateVideo(
  prices: VideoPrices,
  settings: VideoSettings,
  images: number,
): Pick<VideoTarget, 'price' | 'estimate'> {
  const price = snapshotPrice(prices, { ...settings, images })
  return { price, estimate: chargeVideo(price, null).charge }
}

/** The estimate of the dearest target as quantities and prices; a video that costs the least there is, is one unit. */
export function videoLines(targets: readonly [VideoTarget, ...VideoTarget[]]): readonly BoundLine[] {
  const { price, estimate } = dearestOf(targets)
  const lines: readonly BoundLine[] = [
    { unit: 'seconds', quantity: price.seconds, perUnit: chargeForCost(price.perSecond) },
    { unit: 'input_images', quantity: price.images, perUnit: chargeForCost(price.perImage ?? ZERO_USD) },
  ]
  return sumOfLines(lines) < estimate ? [{ unit: 'videos', quantity: 1, perUnit: estimate }] : lines
}

/**
 * The estimate of the dearest target, as so much a second and the rest, so that a 402 can say how many seconds the
 * credits would pay for.
 */
export function boundOfDearest(targets: readonly [VideoTarget, ...VideoTarget[]]): Bound {
  const { estimate, settings } = dearestOf(targets)
  const { seconds } = settings
  const perUnit = nanocreditsOf(estimate / BigInt(seconds))
  const fixed = nanocreditsOf(estimate - perUnit * BigInt(seconds))
  return { fixed, perUnit, units: seconds, policy: 'exact', firstUnits: seconds }
}
