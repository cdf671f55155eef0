import { IMAGES_MAX, type ImageModelEntry, MARGIN_BPS, type Printed } from '@svc/contract'
import type { MediaOfferOf } from './media-offer.ts'
import type { Model } from './model.ts'
import { creditsForCost } from './render-model.ts'

/**
 * Renders a model for `GET /v1/images/models`: selling prices in credits, margin included.
 *
 * @returns null for a model that makes no images. Source: spec 2.12.
 */
export function renderImageModel(model: Model): Printed<ImageModelEntry> | null {
  const { media } = model
  if (media?.type !== 'image') return null
  const { prices, facts } = media
  const takesImages = facts.inputImagesMax !== 0 && model.inputModalities.includes('image')
  return {
    id: model.id,
    object: 'model',
    created: model.created,
    owned_by: model.ownedBy,
    name: model.name,
    description: model.description,
    credits_per_image: creditsForCost(prices.perImage),
    pricing: renderPrices(media),
    supported_sizes: [...new Set(prices.variants.flatMap(({ size, resolution }) => size ?? resolution ?? []))],
    supported_qualities: [...new Set(prices.variants.flatMap(({ quality }) => quality ?? []))],
    supported_parameters: facts.parameters,
    max_n: IMAGES_MAX,
    max_input_images: takesImages ? facts.inputImagesMax : 0,
    supports_streaming: facts.streams,
    supports_edits: takesImages,
    estimated: media.isGuess,
    margin_bps: MARGIN_BPS,
  }
}

function renderPrices({ prices }: MediaOfferOf<'image'>): Printed<ImageModelEntry>['pricing'] {
  const variants = prices.variants.map(({ perImage, ...settings }) => ({
    unit: 'image' as const,
    credits: creditsForCost(perImage),
    ...Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null)),
  }))
  const renders =
    variants.length > 0 ? variants : [{ unit: 'image' as const, credits: creditsForCost(prices.perImage) }]
  const others = [
    ['input_image', prices.perInputImage],
    ['request', prices.perRequest],
    ['input_token', prices.perInputToken ?? null],
    ['input_image_token', prices.perInputImageToken ?? null],
  ] as const
  return [
    ...renders,
    ...others.flatMap(([unit, price]) => (price === null ? [] : [{ unit, credits: creditsForCost(price) }])),
  ]
}
