import {
  type Exact,
  fittingVariants,
  type ImageModelEntry,
  INPUT_IMAGE_TOKENS,
  nanocreditsFrom,
  type PictureSettings,
} from '@svc/contract'
import { boundOf, counted, type PriceBound, times } from './price-bound.ts'

export interface PicturePurchase {
  readonly count: number
  readonly size: string | null
  readonly quality: string | null
  /** Pictures that are given, to be changed. */
  readonly given: number
  /** Its tokens are sold beside the pictures by some models; a token is at least a byte. */
  readonly prompt: string
}

/** Pictures: of the prices that the settings leave open the dearest, and what given pictures and the request cost. */
export function imagePrice(model: Exact<ImageModelEntry>, purchase: PicturePurchase): PriceBound {
  const { count, size, quality, given, prompt } = purchase
  const listed = model.pricing.filter(({ unit }) => unit === 'image').map((row) => ({ ...row, ...settingsOf(row) }))
  // One price without settings is no variant: it holds for pictures of the usual size, and larger ones cost in
  // proportion.
  const rows = listed.length === 1 ? listed.filter(hasSettings) : listed
  const isStandard = ({ credits }: { readonly credits: string }): boolean => credits === model.credits_per_image
  const fitting = fittingVariants(rows, { size, resolution: null, quality }, isStandard)
  const amounts = fitting.variants.map(({ credits }) => nanocreditsFrom(credits))
  const dearest = amounts.reduce(
    (most, each) => (each > most ? each : most),
    amounts[0] ?? nanocreditsFrom(model.credits_per_image),
  )
  const perGiven = perUnit(model, 'input_image') + perUnit(model, 'input_image_token') * BigInt(INPUT_IMAGE_TOKENS)
  const text = perUnit(model, 'input_token') * BigInt(Buffer.byteLength(prompt))
  // Each picture may take a call of its own, which has all that is charged beside it.
  const one = dearest * BigInt(fitting.times) + perGiven * BigInt(given) + perUnit(model, 'request') + text
  const guess = model.estimated ? ' The list price is a guess: what the upstream reports is charged.' : ''
  const note = `${counted(count, 'picture')}${given === 0 ? '' : ` of ${counted(given, 'given picture')}`}.${guess}`
  return boundOf(one * BigInt(count), { images: count, input_images: given }, note)
}

function perUnit(model: Exact<ImageModelEntry>, unit: Exact<ImageModelEntry>['pricing'][number]['unit']): bigint {
  const row = model.pricing.find((each) => each.unit === unit)
  return row === undefined ? 0n : times(row.credits, 1)
}

function hasSettings({ size, resolution, quality }: PictureSettings): boolean {
  return size !== null || resolution !== null || quality !== null
}

/** A setting that a row does not name does not matter to it. */
function settingsOf(row: { readonly [Name in keyof PictureSettings]?: string | undefined }): PictureSettings {
  return { size: row.size ?? null, resolution: row.resolution ?? null, quality: row.quality ?? null }
}
