/**
 * Room `quotes`: what requests cost before they are sent, by the very functions that hold and charge them. It knows
 * models and quantities, no caller and no words of a request.
 */
import type { ModelPriceQuery } from '@svc/contract'
import { type Model, offeringsOf, pricesOf } from '../catalog/model.ts'
import { chargeVideo, snapshotPrice } from '../modalities/videos/video-price.ts'
import { chargeChat } from '../pricing/charge-chat.ts'
import type { MediaLine } from '@svc/contract/media-cost'
import { chargeMedia, chargeSeconds, chargeUnits } from '../pricing/charge-media.ts'
import { likelyImageRate } from '../pricing/image-rate.ts'
import type { RenderSettings } from '../pricing/image-variants.ts'
import type { ImagePrices, MediaPrices } from '../pricing/media-price.ts'
import type { Charge, ChatPrice } from '../pricing/price.ts'

/**
 * The charge of one such request by card or list; of several upstreams the dearest. Null for a model without a price of
 * its own.
 */
export function chargeUsage(model: Model, work: ModelPriceQuery): Charge | null {
  if (model.media !== null) {
    const { type } = model.media
    // Each place by its own list: no one list can say which prices meet in one request.
    const offers = offeringsOf(model).flatMap(({ media }) => (media?.type === type ? media.prices : []))
    return dearestOf(offers.map((prices) => chargeMediaUsage(prices, work)))
  }
  const tokens = { input: work.input_tokens, cached: work.cached_tokens, output: work.output_tokens }
  return dearestOf(pricesOf(model).map((price) => chargeTokens(price, tokens)))
}

export interface TokenUsage {
  readonly input: number
  /** Part of `input`. */
  readonly cached?: number
  readonly output: number
}

/** The charge of so many tokens, where the upstream reports no cost. */
export function chargeTokens(price: ChatPrice, { input, cached = 0, output }: TokenUsage): Charge {
  const usage = {
    promptTokens: input,
    completionTokens: output,
    cachedTokens: Math.min(cached, input),
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  }
  return chargeChat(price, usage, null)
}

function dearestOf(charges: readonly Charge[]): Charge | null {
  return charges.reduce<Charge | null>(
    (dearest, charge) => (dearest === null || charge.charge > dearest.charge ? charge : dearest),
    null,
  )
}

function chargeMediaUsage(prices: MediaPrices, work: ModelPriceQuery): Charge {
  switch (prices.type) {
    case 'image': {
      const settings = { size: work.size ?? null, resolution: null, quality: work.quality ?? null }
      return chargeRenders(prices, { ...settings, count: work.images, inputs: work.input_images })
    }
    case 'video': {
      const settings = { resolution: work.resolution ?? prices.defaultResolution, hasAudio: prices.defaultAudio }
      return chargeVideo(snapshotPrice(prices, { ...settings, seconds: work.seconds, images: work.input_images }), null)
    }
    case 'speech':
      return chargeUnits(prices, work.characters)
    case 'transcription':
      return chargeSeconds(prices, work.seconds)
  }
}

export interface ImageUsage extends RenderSettings {
  readonly count: number
  /** Images that the request gives. */
  readonly inputs: number
}

/** The charge of so many images of one call, where the upstream reports no cost. */
export function chargeRenders(prices: ImagePrices, { count, inputs, ...settings }: ImageUsage): Charge {
  const given: MediaLine[] =
    prices.perInputImage === null || inputs === 0
      ? []
      : [{ unit: 'input_images', quantity: inputs, perUnit: prices.perInputImage }]
  const call: MediaLine[] =
    prices.perRequest === null ? [] : [{ unit: 'requests', quantity: 1, perUnit: prices.perRequest }]
  const renders: MediaLine = { unit: 'images', quantity: count, perUnit: likelyImageRate(prices, settings) }
  return chargeMedia({ lines: [renders, ...given, ...call], reportedCost: null })
}
