import { type Exact, type ImageModelEntry, picturePrice } from '@svc/contract'
import { boundOf, counted, type PriceBound } from './price-bound.ts'

export interface PicturePurchase {
  readonly count: number
  readonly size: string | null
  readonly quality: string | null
  /** Pictures that are given, to be changed. */
  readonly given: number
  readonly prompt: string
}

/** Pictures: of the prices that the settings leave open the dearest, and what given pictures and the request cost. */
export function imagePrice(model: Exact<ImageModelEntry>, purchase: PicturePurchase): PriceBound {
  const { count, size, quality, given, prompt } = purchase
  const { most } = picturePrice(model, { size, quality, given, promptBytes: Buffer.byteLength(prompt) })
  const guess = model.estimated ? ' The list price is a guess: what the upstream reports is charged.' : ''
  const note = `${counted(count, 'picture')}${given === 0 ? '' : ` of ${counted(given, 'given picture')}`}.${guess}`
  return boundOf(most * BigInt(count), { images: count, input_images: given }, note)
}
