/** Requests for images in OpenAI's form. Source: OpenAI's API reference, "Create image" and "Create image edit". */
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { GivenFile, GivenImage, GivenImages, UpstreamImageRequest } from '../image-upstream.ts'
import { type FormPart, writeForm } from './form-body.ts'

/** A request as it is sent. */
export interface ImageBody {
  /** Below the base address. */
  readonly path: string
  readonly contentType: string
  readonly body: Buffer
}

/** @throws {ServiceError} `unsupported_parameter` for images to go by: there is no request with them. */
export function checkOpenAiImages({ isEdit, inputs }: GivenImages): void {
  if (isEdit || inputs.length === 0) return
  throw new ServiceError('unsupported_parameter', 'Images are given to this model by POST /v1/images/edits.', {
    param: 'input_references',
  })
}

/**
 * Writes a request. What the client did not send is not sent: some servers refuse fields that others need, such as
 * `response_format`.
 *
 * @param stream whether partial images are asked for.
 */
export function buildOpenAiImageBody(request: UpstreamImageRequest, stream: boolean): ImageBody {
  const fields = fieldsOf(request, stream)
  if (!request.isEdit) {
    return json('/images/generations', fields)
  }
  const files = request.inputs.map(fileOf)
  const mask = request.mask === null ? null : fileOf(request.mask)
  // An address that is no data is for the upstream to read, and forms have no place for one.
  if (files.some((file) => file === null) || (request.mask !== null && mask === null)) {
    return json('/images/edits', {
      ...fields,
      images: request.inputs.map((image) => ({ image_url: urlOf(image) })),
      ...(request.mask === null ? {} : { mask: { image_url: urlOf(request.mask) } }),
    })
  }
  const images = files.filter((file) => file !== null)
  const name = images.length === 1 ? 'image' : 'image[]'
  const form = writeForm([
    ...Object.entries(fields).map(([field, value]): FormPart => ({ name: field, content: textOf(value) })),
    ...images.map((content): FormPart => ({ name, content })),
    ...(mask === null ? [] : [{ name: 'mask', content: mask }]),
  ])
  return { path: '/images/edits', ...form }
}

function json(path: string, fields: Readonly<Record<string, unknown>>): ImageBody {
  return { path, contentType: 'application/json', body: Buffer.from(JSON.stringify(fields)) }
}

function fieldsOf({ settings, ...request }: UpstreamImageRequest, stream: boolean): Record<string, unknown> {
  const fields = {
    ...request.extras,
    model: request.upstreamModel,
    prompt: request.prompt,
    n: request.count,
    size: settings.size,
    quality: settings.quality,
    background: settings.background,
    output_format: settings.outputFormat,
    output_compression: settings.outputCompression,
    input_fidelity: request.isEdit ? settings.inputFidelity : null,
    moderation: settings.moderation,
    style: settings.style,
    seed: settings.seed,
    aspect_ratio: settings.aspectRatio,
    resolution: settings.resolution,
    user: settings.user,
    response_format: settings.responseFormat === null ? null : 'b64_json',
    ...(stream ? { stream: true, partial_images: request.partialImages } : {}),
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined))
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w=.+-]+)*;base64,/i

/** A file, also one in a data URL; null for an address. */
function fileOf(image: GivenImage): GivenFile | null {
  if ('bytes' in image) return image
  const header = DATA_URL.exec(image.url)
  if (header === null) return null
  const mediaType = header[1] ?? 'application/octet-stream'
  const bytes = Buffer.from(image.url.slice(header[0].length), 'base64')
  return { bytes, mediaType, fileName: `image.${mediaType.slice(mediaType.indexOf('/') + 1)}` }
}

/** The address of an image; a file is written into one. */
export function urlOf(image: GivenImage): string {
  return 'url' in image ? image.url : `data:${image.mediaType};base64,${image.bytes.toString('base64')}`
}
