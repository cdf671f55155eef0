/** A request for images, and what came of it. */
import { endpoints } from '@svc/contract'
import type { Run, Work } from '../run-store.ts'
import { imageBodyOf, type ImageWishes } from './image-wishes.ts'

export interface ImageRun extends Run {
  readonly wishes: ImageWishes
  readonly images: readonly Blob[]
  /** What the model has so far; gone once it is done. */
  readonly partial: Blob | null
}

/** The first bytes of each format, in base64. */
const SIGNATURES = [
  ['iVBOR', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['UklGR', 'image/webp'],
  ['PHN2', 'image/svg+xml'],
  ['PD94', 'image/svg+xml'],
  ['R0lG', 'image/gif'],
] as const

function blobOf(base64: string): Blob {
  const [, type = 'image/png'] = SIGNATURES.find(([start]) => base64.startsWith(start)) ?? []
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.codePointAt(0) ?? 0)
  return new Blob([bytes], { type })
}

const PARTIAL_IMAGES = 2

/** Makes the images; one alone is shown while it is made. */
export function makeImages(wishes: ImageWishes) {
  return async ({ client, options, tell }: Work<ImageRun>): Promise<Partial<ImageRun>> => {
    const body = imageBodyOf(wishes)
    const inputs = wishes.inputs.map(({ url }) => ({ image_url: url }))
    if (wishes.count > 1) {
      const reply =
        inputs.length === 0
          ? await client.call(endpoints.createImage, { body }, options)
          : await client.call(endpoints.editImage, { body: { ...body, images: inputs } }, options)
      const images = reply.data.flatMap(({ b64_json: data }) => (data === undefined ? [] : [blobOf(data)]))
      return { images, charge: reply.svc.credits_charged, isEstimated: reply.svc.estimated === true }
    }
    const streamed = { ...body, partial_images: PARTIAL_IMAGES }
    const events =
      inputs.length === 0
        ? client.stream(endpoints.createImage, { body: streamed }, options)
        : client.stream(endpoints.editImage, { body: { ...streamed, images: inputs } }, options)
    const images: Blob[] = []
    let charged: Partial<ImageRun> = {}
    for await (const { type, b64_json: data, svc } of events) {
      if (type.endsWith('.partial_image')) tell({ partial: blobOf(data) })
      else images.push(blobOf(data))
      if (svc !== undefined) charged = { charge: svc.credits_charged, isEstimated: svc.estimated === true }
    }
    return { ...charged, images, partial: null }
  }
}
