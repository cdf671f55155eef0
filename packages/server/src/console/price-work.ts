/** What requests of a kind would be charged: by the very functions that charge them. */
import type { ModelPriceQuery } from '@svc/contract'
import { type Model, offeringsOf, pricesOf } from '../catalog/model.ts'
import { chargeChat } from '../pricing/charge-chat.ts'
import { chargeMedia, chargeSeconds, chargeUnits, type MediaLine } from '../pricing/charge-media.ts'
import { likelyImageRate } from '../pricing/image-rate.ts'
import type { ImagePrices, MediaPrices } from '../pricing/media-price.ts'
import type { ChatCharge } from '../pricing/price.ts'
import { chargeVideo, notePrice } from '../modalities/videos/video-price.ts'

/**
 * The charge of one such request by card or list; of several upstreams the dearest. Null for a model without a price of
 * its own.
 */
export function priceWork(model: Model, work: ModelPriceQuery): ChatCharge | null {
  if (model.media !== null) {
    const { type } = model.media
    // Each place by its own list: no one list can say which prices meet in one request.
    const offers = offeringsOf(model).flatMap(({ media }) => (media?.type === type ? media.prices : []))
    return dearestOf(offers.map((prices) => priceMedia(prices, work)))
  }
  const usage = {
    promptTokens: work.input_tokens,
    completionTokens: work.output_tokens,
    cachedTokens: Math.min(work.cached_tokens, work.input_tokens),
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  }
  return dearestOf(pricesOf(model).map((price) => chargeChat(price, usage, null)))
}

function dearestOf(charges: readonly ChatCharge[]): ChatCharge | null {
  return charges.reduce<ChatCharge | null>(
    (dearest, charge) => (dearest === null || charge.charge > dearest.charge ? charge : dearest),
    null,
  )
}

function priceMedia(prices: MediaPrices, work: ModelPriceQuery): ChatCharge {
  switch (prices.type) {
    case 'image':
      return priceImages(prices, work)
    case 'video': {
      const settings = { resolution: work.resolution ?? prices.defaultResolution, hasAudio: prices.defaultAudio }
      return chargeVideo(notePrice(prices, { ...settings, seconds: work.seconds, images: work.input_images }), null)
    }
    case 'speech':
      return chargeUnits(prices, work.characters)
    case 'transcription':
      return chargeSeconds(prices, work.seconds)
  }
}

function priceImages(prices: ImagePrices, work: ModelPriceQuery): ChatCharge {
  const settings = { size: work.size ?? null, resolution: null, quality: work.quality ?? null }
  const given: MediaLine[] =
    prices.perInputImage === null || work.input_images === 0
      ? []
      : [{ unit: 'input_images', quantity: work.input_images, perUnit: prices.perInputImage }]
  const call: MediaLine[] =
    prices.perRequest === null ? [] : [{ unit: 'requests', quantity: 1, perUnit: prices.perRequest }]
  const renders: MediaLine = { unit: 'images', quantity: work.images, perUnit: likelyImageRate(prices, settings) }
  return chargeMedia({ lines: [renders, ...given, ...call], reportedCost: null })
}
