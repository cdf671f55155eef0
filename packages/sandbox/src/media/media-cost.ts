import { type ImagePrices, type MediaPrices, type PricedQuantity, quantityCost, type VideoPrices } from '../prices.ts'

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
      readonly hasAudio: boolean
    }
  | { readonly type: 'speech'; readonly text: string }
  | { readonly type: 'transcription'; readonly seconds: number }

/** What the sandbox says that its work cost, in USD as decimal text; null where the prices are of another kind. */
export function costOfMedia(prices: MediaPrices, use: MediaUse): string | null {
  const lines = linesOf(prices, use)
  return lines.length === 0 ? null : quantityCost(lines, prices.type === 'video' ? prices.minimum : null)
}

function linesOf(prices: MediaPrices, use: MediaUse): PricedQuantity[] {
  if (prices.type === 'image' && use.type === 'image') return imageLines(prices, use)
  if (prices.type === 'video' && use.type === 'video') return videoLines(prices, use)
  if (prices.type === 'speech' && use.type === 'speech') {
    const quantity = prices.unit === 'byte' ? Buffer.byteLength(use.text) : [...use.text].length
    return [{ quantity, perUnit: prices.perUnit }]
  }
  if (prices.type === 'transcription' && use.type === 'transcription') {
    return [{ quantity: use.seconds, perUnit: prices.perSecond }]
  }
  return []
}

function imageLines(prices: ImagePrices, use: Extract<MediaUse, { readonly type: 'image' }>): PricedQuantity[] {
  const fits = prices.variants.find(
    ({ size, quality, resolution }) =>
      (size === null || sizeFits(size, use)) &&
      (quality === null || quality === use.quality) &&
      (resolution === null || resolution.toLowerCase() === use.resolution?.toLowerCase() || sizeFits(resolution, use)),
  )
  const renders: PricedQuantity = { quantity: use.renders, perUnit: fits?.perImage ?? prices.perImage }
  const inputs: PricedQuantity[] =
    prices.perInputImage === null || use.inputs === 0 ? [] : [{ quantity: use.inputs, perUnit: prices.perInputImage }]
  const request: PricedQuantity[] = prices.perRequest === null ? [] : [{ quantity: 1, perUnit: prices.perRequest }]
  return [renders, ...inputs, ...request]
}

function sizeFits(size: string, { width, height }: { readonly width: number; readonly height: number }): boolean {
  return size === `${width}x${height}`
}

function videoLines(prices: VideoPrices, use: Extract<MediaUse, { readonly type: 'video' }>): PricedQuantity[] {
  const fits = prices.variants.find(
    ({ resolution, audio }) =>
      (resolution === null || resolution.toLowerCase() === use.resolution.toLowerCase()) &&
      (audio === null || audio === use.hasAudio),
  )
  const seconds: PricedQuantity = { quantity: use.seconds, perUnit: fits?.perSecond ?? prices.perSecond }
  if (prices.perInputImage === null || use.inputs === 0) return [seconds]
  return [seconds, { quantity: use.inputs, perUnit: prices.perInputImage }]
}
