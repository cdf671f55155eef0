/** Reads requests for images: JSON in OpenAI's form and in OpenRouter's, and forms with files. */
import { imageEditFields, imageEditRequest, type ImageFields, imageRequest, INPUT_IMAGES_MAX } from '@svc/contract'
import type { z } from 'zod'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { GivenFile, GivenImage, ImageSettings } from '../../upstreams/image-upstream.ts'
import type { ImageCall } from './image-call.ts'
import { formTruth } from '../../edge/form-flag.ts'
import { type CountedJson, parseJsonObject, scanBody, SpellingCheck } from '../../pipeline/json-call.ts'
import { refuseBeyond } from '../../pipeline/within-bound.ts'
import { WorkGuard } from '../../pipeline/work-guard.ts'
import type { AskedWork } from '../../pipeline/work-reader.ts'

/** A form as far as images are concerned. */
export interface ImageForm {
  readonly fields: readonly { readonly name: string; readonly value: string }[]
  readonly files: readonly (GivenFile & { readonly name: string })[]
}

const generationSpelling = new SpellingCheck(Object.keys(imageRequest.shape))
const editSpelling = new SpellingCheck(Object.keys(imageEditRequest.shape))

const generationGuard = new WorkGuard('image', Object.keys(imageRequest.shape))
const editGuard = new WorkGuard('image', Object.keys(imageEditRequest.shape))

/** @throws {ServiceError} `unsupported_parameter` for what would make more renders, or dearer ones. */
function refuseMore(work: AskedWork, { n }: ImageFields): void {
  refuseBeyond(work, { tokens: Infinity, answers: n ?? 1 })
}

function refuseBlank(prompt: string): void {
  if (prompt.trim() !== '') return
  throw new ServiceError('empty_content', 'The request has no prompt. You were not charged.', { param: 'prompt' })
}

/**
 * Reads a request for new images.
 *
 * @param form whose form the answer shall have.
 * @throws {ServiceError} 400 naming the field.
 */
export function parseImageRequest(text: CountedJson, form: ImageCall['form']): ImageCall {
  const value = parseJsonObject(text)
  const request = parseBySchema(imageRequest, value)
  generationSpelling.refuse(scanBody(text).keys())
  refuseMore(generationGuard.readFields(value), request)
  refuseBlank(request.prompt)
  const inputs = (request.input_references ?? []).map(({ image_url: image }): GivenImage => {
    return { url: typeof image === 'string' ? image : image.url }
  })
  return {
    kind: 'generation',
    form,
    ...commonParts(request, { style: request.style ?? null, inputFidelity: null }),
    extras: generationGuard.withoutRenders(extrasOf(value, imageRequest)),
    inputs,
    mask: null,
  }
}

/**
 * Reads a request to change images that are given by their addresses.
 *
 * @throws {ServiceError} 400 naming the field.
 */
export function parseImageEdit(text: CountedJson): ImageCall {
  const value = parseJsonObject(text)
  const request = parseBySchema(imageEditRequest, value)
  editSpelling.refuse(scanBody(text).keys())
  refuseMore(editGuard.readFields(value), request)
  refuseBlank(request.prompt)
  return {
    kind: 'edit',
    form: 'openai',
    ...commonParts(request, { style: null, inputFidelity: request.input_fidelity ?? null }),
    extras: editGuard.withoutRenders(extrasOf(value, imageEditRequest)),
    inputs: request.images.map((image, index) => addressOf(image, `images.${index}`)),
    mask: (request.mask ?? null) === null ? null : addressOf(request.mask ?? {}, 'mask'),
  }
}

function addressOf(
  image: { readonly image_url?: string | null | undefined; readonly file_id?: string | null | undefined },
  param: string,
): GivenImage {
  if (image.image_url !== null && image.image_url !== undefined) return { url: image.image_url }
  if (image.file_id !== null && image.file_id !== undefined) {
    throw new ServiceError('unsupported_parameter', "Unsupported parameter: 'file_id'; give an image_url or a file.", {
      param: `${param}.file_id`,
    })
  }
  throw new ServiceError('missing_required_parameter', `Missing required parameter: '${param}.image_url'.`, {
    param: `${param}.image_url`,
  })
}

/**
 * Reads a request to change images that come with it.
 *
 * @throws {ServiceError} 400 naming the field.
 */
export function parseImageForm({ fields, files }: ImageForm): ImageCall {
  const value = valueOf(fields)
  const request = parseBySchema(imageEditFields, value)
  editSpelling.refuse(Object.keys(value))
  refuseMore(editGuard.readForm(value), request)
  refuseBlank(request.prompt)
  const inputs = files.filter(({ name }) => name === 'image' || name === 'image[]')
  const [mask = null, ...moreMasks] = files.filter(({ name }) => name === 'mask')
  const stranger = files.find(({ name }) => name !== 'image' && name !== 'image[]' && name !== 'mask')
  if (stranger !== undefined || moreMasks.length > 0) {
    const param = stranger?.name.slice(0, 64) ?? 'mask'
    throw new ServiceError('unsupported_parameter', `Unsupported parameter: the file '${param}'.`, { param })
  }
  if (inputs.length > INPUT_IMAGES_MAX) {
    const message = `Invalid value for 'image': expected at most ${INPUT_IMAGES_MAX} files.`
    throw new ServiceError('invalid_value', message, { param: 'image' })
  }
  if (inputs.length === 0 || inputs.some(({ bytes }) => bytes.length === 0)) {
    throw new ServiceError('empty_content', 'The request has no image. You were not charged.', { param: 'image' })
  }
  return {
    kind: 'edit',
    form: 'openai',
    ...commonParts(request, { style: null, inputFidelity: request.input_fidelity ?? null }),
    extras: editGuard.withoutRenders(extrasOf(value, imageEditFields)),
    inputs: inputs.map(fileOf),
    mask: mask === null ? null : fileOf(mask),
  }
}

function fileOf({ bytes, mediaType, fileName }: GivenFile): GivenFile {
  return { bytes, mediaType, fileName }
}

/** Fields of a form that are numbers, and those that are yes or no. */
const numberFields: ReadonlySet<string> = new Set(['n', 'output_compression', 'partial_images', 'seed'])
const booleanFields: ReadonlySet<string> = new Set(['stream'])

/** A form's fields as the values that JSON would have. @throws {ServiceError} for a field that appears twice. */
function valueOf(fields: ImageForm['fields']): Record<string, unknown> {
  const value: Record<string, unknown> = {}
  for (const { name, value: text } of fields) {
    if (Object.hasOwn(value, name)) {
      throw new ServiceError('invalid_value', `The field '${name.slice(0, 64)}' appears twice in the form.`, {
        param: name.slice(0, 64),
      })
    }
    if (numberFields.has(name)) value[name] = text.trim() === '' ? null : Number(text)
    else if (booleanFields.has(name)) value[name] = formTruth(text)
    else value[name] = text
  }
  return value
}

function commonParts(request: ImageFields, own: Pick<ImageSettings, 'style' | 'inputFidelity'>) {
  const stream = request.stream === true
  if (stream && request.response_format === 'url') {
    throw new ServiceError('unsupported_parameter', "Unsupported parameter: a stream sends 'b64_json' only.", {
      param: 'response_format',
    })
  }
  return {
    model: request.model,
    prompt: request.prompt,
    count: request.n ?? 1,
    stream,
    partialImages: request.partial_images ?? 0,
    settings: {
      size: request.size ?? null,
      quality: request.quality ?? null,
      background: request.background ?? null,
      outputFormat: request.output_format ?? null,
      outputCompression: request.output_compression ?? null,
      moderation: request.moderation ?? null,
      seed: request.seed ?? null,
      aspectRatio: request.aspect_ratio ?? null,
      resolution: request.resolution ?? null,
      user: request.user ?? null,
      responseFormat: request.response_format ?? null,
      ...own,
    },
  }
}

function extrasOf(value: Readonly<Record<string, unknown>>, schema: z.ZodObject): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !Object.hasOwn(schema.shape, name)))
}
