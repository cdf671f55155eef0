/**
 * Media prices as OpenRouter's lists of images and videos write them. The adapter has put what those lists say of a
 * model onto its row of the model list.
 */
import { z } from 'zod'
import type { ImageVariant, VideoVariant } from '../pricing/media-price.ts'
import type { AttoUsd } from '../pricing/price.ts'
import { attoUsdOf, parseUsd } from '../pricing/usd.ts'
import type { ListedMedia } from './media-offer.ts'

const names = z.array(z.string().max(100)).max(200).nullish().catch(null)

const pricingLine = z.object({
  billable: z.string(),
  unit: z.string(),
  cost_usd: z.union([z.string(), z.number()]),
  variant: z.string().max(100).nullish(),
})

/** What the lists of media say beside the model list; null and absent are the same. */
export const mediaRowFields = {
  /** Lines of all providers. Source: OpenRouter's API reference, "List endpoints for an image model". */
  image_pricing: z.array(pricingLine).max(500).nullish().catch(null),
  image_parameters: z.record(z.string(), z.unknown()).nullish().catch(null),
  supports_streaming: z.boolean().nullish().catch(null),
  /** USD or cents by the key's name. Source: OpenRouter's API reference, "List video models". */
  pricing_skus: z
    .record(z.string(), z.union([z.string(), z.number()]))
    .nullish()
    .catch(null),
  supported_durations: z.array(z.int().min(1).max(3_600)).max(200).nullish().catch(null),
  supported_resolutions: names,
  supported_aspect_ratios: names,
  supported_sizes: names,
  supported_frame_images: names,
  generate_audio: z.boolean().nullish().catch(null),
} as const

export type MediaRow = z.output<z.ZodObject<typeof mediaRowFields>>

/** Reads what a list says of an image model; null where it has no price that is understood. */
export function readLiveImage(row: MediaRow): ListedMedia | null {
  const lines = row.image_pricing ?? []
  const renders = lines.filter((line) => line.billable === 'output_image').flatMap(rendersOf)
  if (renders.length === 0) return null
  const variants = dearestByKey(renders)
  const inputs = lines.flatMap((line) =>
    (line.billable === 'input_image' || line.billable === 'input_reference') && line.unit === 'image'
      ? [amountOf(line.cost_usd)]
      : [],
  )
  return {
    type: 'image',
    prices: {
      type: 'image',
      perImage: least(variants.map((variant) => variant.perImage)),
      variants: variants.filter(hasSettings),
      perInputImage: greatest(inputs.filter((amount) => amount !== null)),
      perRequest: null,
      perInputToken: tokenPrice(lines, 'input_text'),
      perInputImageToken: tokenPrice(lines, 'input_image'),
    },
    facts: imageFacts(row.image_parameters ?? {}, row.supports_streaming ?? null),
    isGuess: lines.some((line) => line.billable === 'output_image' && line.unit === 'token'),
  }
}

/** The dearest price of a token of one kind. */
function tokenPrice(lines: readonly z.output<typeof pricingLine>[], billable: string): AttoUsd | null {
  const found = lines.filter((line) => line.billable === billable && line.unit === 'token')
  return greatest(found.map((line) => amountOf(line.cost_usd)).filter((amount) => amount !== null))
}

/**
 * Tokens that one render counts at most where a list sells tokens: a large image of high quality by OpenAI's table.
 * The cost of each render is reported, so this sizes holds and price lists alone.
 */
const TOKENS_PER_RENDER = 6_240n

/** Megapixels that a price per megapixel is spelled out for: up to the largest image that is sold. */
const MEGAPIXELS_MAX = 9

function rendersOf(line: z.output<typeof pricingLine>): readonly ImageVariant[] {
  const amount = amountOf(line.cost_usd)
  if (amount === null || amount === 0n) return []
  const settings = settingsOf(line.variant ?? '')
  if (line.unit === 'image') return [{ ...settings, perImage: amount }]
  if (line.unit === 'token') return [{ ...settings, perImage: attoUsdOf(amount * TOKENS_PER_RENDER) }]
  if (line.unit !== 'megapixel') return []
  return Array.from({ length: MEGAPIXELS_MAX }, (_, index) => ({
    ...settings,
    size: `${index + 1}MP`,
    perImage: attoUsdOf(amount * BigInt(index + 1)),
  }))
}

const RESOLUTION = /^(?:512|\d+(?:\.\d+)?k)$/i

/** `low_1k` is a quality and a resolution; either may be missing. */
function settingsOf(variant: string): Omit<ImageVariant, 'perImage'> {
  const parts = variant.split('_').filter((part) => part !== '')
  const resolution = parts.find((part) => RESOLUTION.test(part)) ?? null
  const rest = parts.filter((part) => part !== resolution).join('_')
  return {
    resolution: resolution === null ? null : resolution.toUpperCase(),
    size: null,
    quality: rest === '' ? null : rest,
    mode: null,
  }
}

function hasSettings(variant: ImageVariant): boolean {
  return variant.resolution !== null || variant.size !== null || variant.quality !== null
}

/** Providers of one model differ; the dearest of them may serve. */
function dearestByKey(renders: readonly ImageVariant[]): readonly ImageVariant[] {
  const byKey = new Map<string, ImageVariant>()
  for (const render of renders) {
    const key = `${render.quality ?? ''}/${render.resolution ?? ''}/${render.size ?? ''}`
    const known = byKey.get(key)
    if (known === undefined || known.perImage < render.perImage) byKey.set(key, render)
  }
  return [...byKey.values()]
}

const range = z.object({ min: z.number().nullish(), max: z.number().nullish() }).catch({})

function imageFacts(parameters: Readonly<Record<string, unknown>>, streams: boolean | null) {
  const count = range.parse(parameters['n'] ?? {})
  const inputs = range.parse(parameters['input_references'] ?? {})
  return {
    countMax: count.max ?? null,
    inputImagesMin: inputs.min ?? 0,
    inputImagesMax: inputs.max ?? null,
    parameters,
    streams,
  }
}

/** Reads what a list says of a video model; null where no key of its price is understood. */
export function readLiveVideo(row: MediaRow): ListedMedia | null {
  const skus = Object.entries(row.pricing_skus ?? {})
  const variants = skus.flatMap(([key, value]) => videoVariant(key, value) ?? [])
  if (variants.length === 0) return null
  const resolutions = row.supported_resolutions ?? []
  const [standard] = variants
  return {
    type: 'video',
    prices: {
      type: 'video',
      perSecond: (variants.find((variant) => variant.resolution === null) ?? (standard as VideoVariant)).perSecond,
      defaultResolution: resolutions[0] ?? null,
      defaultAudio: null,
      variants,
      perInputImage: skuPrice(skus, /^(?:cents_per_image_input|reference_images)$/),
      minimum: skuPrice(skus, /^minimum_cents_per_generation$/),
    },
    facts: {
      durations: [...(row.supported_durations ?? [])].sort((left, right) => left - right),
      resolutions,
      aspectRatios: row.supported_aspect_ratios ?? [],
      sizes: row.supported_sizes ?? [],
      frameImages: row.supported_frame_images ?? [],
      generatesAudio: row.generate_audio ?? null,
    },
    isGuess: false,
  }
}

/** Keys that price a second begin so; whether there is audio, and a resolution, may follow. */
const SECOND_UNIT = /^(?:(?:\w{1,40}_)?duration_seconds|cents_per_second_output|cents_per_video_output_second)/i
const SECOND_SETTINGS = /^(_with_audio|_without_audio)?(?:_(\d+p|\d+k))?$/i

function videoVariant(key: string, value: string | number): VideoVariant | null {
  const unit = SECOND_UNIT.exec(key)?.[0] ?? null
  const match = unit === null ? null : SECOND_SETTINGS.exec(key.slice(unit.length))
  const perSecond = skuAmount(key, value)
  if (match === null || perSecond === null || perSecond === 0n) return null
  const [, audio, resolution] = match
  return {
    resolution: resolution === undefined ? null : resolution.toLowerCase().replace(/k$/, 'K'),
    audio: audio === undefined ? null : audio === '_with_audio',
    perSecond,
  }
}

function skuPrice(skus: readonly (readonly [string, string | number])[], pattern: RegExp): AttoUsd | null {
  const found = skus.find(([key]) => pattern.test(key))
  return found === undefined ? null : skuAmount(found[0], found[1])
}

const CENTS = 100n

/** Keys that name cents are in cents; all others in dollars. */
function skuAmount(key: string, value: string | number): AttoUsd | null {
  const amount = amountOf(value)
  if (amount === null || !key.includes('cents')) return amount
  return attoUsdOf((amount + CENTS - 1n) / CENTS)
}

function amountOf(value: string | number): AttoUsd | null {
  return parseUsd(String(value))
}

function least(amounts: readonly AttoUsd[]): AttoUsd {
  return amounts.reduce((most, amount) => (amount < most ? amount : most))
}

function greatest(amounts: readonly AttoUsd[]): AttoUsd | null {
  return amounts.length === 0 ? null : amounts.reduce((most, amount) => (amount > most ? amount : most))
}
