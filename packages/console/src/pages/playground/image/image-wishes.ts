/** Images that are wished for: the request that asks for them, and what decides its price. Pure. */
import type { endpoints, Exact, ImageModelEntry, InputOf } from '@svc/contract'
import type { Attachment } from '../chat/conversation.ts'
import { lengthOf, type RequestSize } from '../pay/request-size.ts'

export interface ImageWishes {
  readonly model: string
  readonly prompt: string
  readonly count: number
  /** Empty leaves it to the model. */
  readonly size: string
  readonly quality: string
  readonly seed: number | null
  readonly inputs: readonly Attachment[]
}

/** Sizes that a request can name. Source: the contract's field `size`. */
const NAMEABLE = /^(?:\d{2,5}x\d{2,5}|512|\d(?:\.\d)?[kK])$/
const COMMON_SIZES = ['1024x1024', '1024x1536', '1536x1024'] as const

export function sizesOf(model: Exact<ImageModelEntry> | undefined): readonly string[] {
  const own = model?.supported_sizes.filter((size) => NAMEABLE.test(size)) ?? []
  return own.length > 0 ? own : COMMON_SIZES
}

type ImageBody = InputOf<typeof endpoints.createImage>['body']

export function imageBodyOf({ model, prompt, count, size, quality, seed }: ImageWishes): ImageBody {
  return {
    model,
    prompt,
    n: count,
    ...(size === '' ? {} : { size }),
    ...(quality === '' ? {} : { quality }),
    ...(seed === null ? {} : { seed }),
  }
}

/** What decides the price of a request for images. */
export function sizeOf(wishes: ImageWishes): RequestSize {
  const { model, size, quality, count: images, inputs, prompt } = wishes
  const settings = { size: size === '' ? undefined : size, quality: quality === '' ? undefined : quality }
  return { model, ...settings, images, input_images: inputs.length, ...lengthOf(prompt) }
}
