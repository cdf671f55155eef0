import { listMediaCost, type MediaLine } from '../../pricing/charge-media.ts'
import type { ImagePrices, MediaPrices, VideoPrices } from '../../pricing/media-price.ts'
import { formatUsd } from '../../pricing/usd.ts'

/** What was made or read. */
export type MediaUse =
  | {
      readonly type: 'image'
      readonly renders: number
      readonly inputs: number
      readonly width: number
      readonly height: number
      /** As asked for; null where nothing was said. */
      readonly quality: string | null
      readonly resolution: string | null
    }
  | {
      readonly type: 'video'
      readonly seconds: number
      readonly inputs: number
      readonly resolution: string
      readonly hasSound: boolean
    }
  | { readonly type: 'speech'; readonly text: string }
  | { readonly type: 'transcription'; readonly seconds: number }

/** What the sandbox says that its work cost, in USD as decimal text; null where the prices are of another kind. */
export function costOfMedia(prices: MediaPrices, use: MediaUse): string | null {
  const lines = linesOf(prices, use)
  const [first, ...others] = lines
  if (first === undefined) return null
  return formatUsd(listMediaCost([first, ...others], prices.type === 'video' ? prices.minimum : null))
}

function linesOf(prices: MediaPrices, use: MediaUse): MediaLine[] {
  if (prices.type === 'image' && use.type === 'image') return imageLines(prices, use)
  if (prices.type === 'video' && use.type === 'video') return videoLines(prices, use)
  if (prices.type === 'speech' && use.type === 'speech') {
    const unit = prices.unit === 'byte' ? 'bytes' : 'characters'
    const quantity = prices.unit === 'byte' ? Buffer.byteLength(use.text) : [...use.text].length
    return [{ unit, quantity, perUnit: prices.perUnit }]
  }
  if (prices.type === 'transcription' && use.type === 'transcription') {
    return [{ unit: 'seconds', quantity: use.seconds, perUnit: prices.perSecond }]
  }
  return []
}

function imageLines(prices: ImagePrices, use: Extract<MediaUse, { readonly type: 'image' }>): MediaLine[] {
  const fits = prices.variants.find(
    ({ size, quality, resolution }) =>
      (size === null || sizeFits(size, use)) &&
      (quality === null || quality === use.quality) &&
      (resolution === null || resolution.toLowerCase() === use.resolution?.toLowerCase() || sizeFits(resolution, use)),
  )
  const renders: MediaLine = { unit: 'images', quantity: use.renders, perUnit: fits?.perImage ?? prices.perImage }
  const inputs: MediaLine[] =
    prices.perInputImage === null || use.inputs === 0
      ? []
      : [{ unit: 'input_images', quantity: use.inputs, perUnit: prices.perInputImage }]
  const request: MediaLine[] =
    prices.perRequest === null ? [] : [{ unit: 'requests', quantity: 1, perUnit: prices.perRequest }]
  return [renders, ...inputs, ...request]
}

function sizeFits(size: string, { width, height }: { readonly width: number; readonly height: number }): boolean {
  return size === `${width}x${height}`
}

function videoLines(prices: VideoPrices, use: Extract<MediaUse, { readonly type: 'video' }>): MediaLine[] {
  const fits = prices.variants.find(
    ({ resolution, audio }) =>
      (resolution === null || resolution.toLowerCase() === use.resolution.toLowerCase()) &&
      (audio === null || audio === use.hasSound),
  )
  const seconds: MediaLine = { unit: 'seconds', quantity: use.seconds, perUnit: fits?.perSecond ?? prices.perSecond }
  if (prices.perInputImage === null || use.inputs === 0) return [seconds]
  return [seconds, { unit: 'input_images', quantity: use.inputs, perUnit: prices.perInputImage }]
}
