/** What a video costs by the list, noted at its submission: the price at the end is the price at the start. */
import { formatCredits, parseCredits, type Nanocredits } from '@svc/contract'
import type { MediaLine } from '@svc/contract/media-cost'
import { chargeMedia } from '../../pricing/charge-media.ts'
import type { VideoPrices } from '../../pricing/media-price.ts'
import type { AttoUsd, Charge } from '../../pricing/price.ts'
import { formatUsd, parseUsd } from '../../pricing/usd.ts'
import { type FrameSettings, videoRate } from '../../pricing/video-rate.ts'
import { InvariantError } from '../../platform/errors/invariant-error.ts'

/** The settings that choose a price. */
export interface VideoSettings extends FrameSettings {
  readonly seconds: number
  /** Images that the request gives. */
  readonly images: number
}

/** A price as the row of a job keeps it: all that the charge is made from, but the reported cost. */
export interface VideoPriceSnapshot {
  readonly seconds: number
  readonly perSecond: AttoUsd
  readonly images: number
  readonly perImage: AttoUsd | null
  readonly minimum: AttoUsd | null
  readonly variant: Readonly<Record<string, string>>
  /** The most that the caller has agreed to pay; null where nothing was agreed. */
  readonly most: Nanocredits | null
}

/** Takes the price that applies to the settings. Source: decision 0024 (video jobs). */
export function snapshotPrice(prices: VideoPrices, settings: VideoSettings): VideoPriceSnapshot {
  const { resolution, hasAudio, seconds, images } = settings
  return {
    ...{ seconds, images },
    perSecond: videoRate(prices, settings),
    perImage: images === 0 ? null : prices.perInputImage,
    minimum: prices.minimum,
    variant: {
      ...(resolution === null ? {} : { resolution }),
      ...(hasAudio === null ? {} : { audio: String(hasAudio) }),
    },
    most: null,
  }
}

/**
 * Prices a video: by the reported cost where there is one, else by the noted list price. The length that a list price
 * multiplies is the one that was asked for, so that charge is marked as estimated.
 *
 * @param reportedCost null for none; at the submission it gives the estimate.
 */
export function chargeVideo(snapshot: VideoPriceSnapshot, reportedCost: AttoUsd | null): Charge {
  const seconds: MediaLine = { unit: 'seconds', quantity: snapshot.seconds, perUnit: snapshot.perSecond }
  const { perImage, images, minimum, variant } = snapshot
  const input: MediaLine[] = perImage === null ? [] : [{ unit: 'input_images', quantity: images, perUnit: perImage }]
  return chargeMedia({
    lines: [seconds, ...input],
    ...{ minimum, reportedCost, variant },
    estimated: reportedCost === null,
  })
}

/** What an upstream that reports no cost bills for a video, in nanocredits at par: our loss where no client pays. */
export function listCost(snapshot: VideoPriceSnapshot): Nanocredits {
  return chargeVideo(snapshot, null).cost
}

/** Writes a snapshot as JSON text; money is decimal text. */
export function formatSnapshot({ perSecond, perImage, minimum, most, ...rest }: VideoPriceSnapshot): string {
  const usd = (amount: AttoUsd | null): string | null => (amount === null ? null : formatUsd(amount))
  const prices = { per_second: usd(perSecond), per_image: usd(perImage), minimum: usd(minimum) }
  return JSON.stringify({ ...rest, ...prices, ...(most === null ? {} : { credits_at_most: formatCredits(most) }) })
}

/** @throws {InvariantError} when the text is none that `formatSnapshot` wrote. */
export function parseSnapshot(text: string): VideoPriceSnapshot {
  const value = JSON.parse(text) as Readonly<Record<string, unknown>>
  const { seconds, images, variant } = value
  const perSecond = usdFrom(value['per_second'])
  if (typeof seconds !== 'number' || typeof images !== 'number' || perSecond === null) {
    throw new InvariantError('The price of a video job is damaged')
  }
  return {
    ...{ seconds, images, perSecond },
    perImage: usdFrom(value['per_image']),
    minimum: usdFrom(value['minimum']),
    most: creditsFrom(value['credits_at_most']),
    variant: variant as Readonly<Record<string, string>>,
  }
}

function creditsFrom(value: unknown): Nanocredits | null {
  return typeof value === 'string' ? parseCredits(value) : null
}

function usdFrom(value: unknown): AttoUsd | null {
  return typeof value === 'string' ? parseUsd(value) : null
}
