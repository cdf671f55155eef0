/** Reads a request for a video: JSON, or a form as OpenAI's clients send it. */
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { VIDEO_FILE_BYTES_MAX, type VideoRequest, videoRequest } from '@svc/contract'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { parseJsonObject } from '../../pipeline/json-call.ts'
import { WorkGuard } from '../../pipeline/work-guard.ts'
import type { Caller } from '../../access/keys/caller.ts'
import type { VideoFile } from './submit-video.ts'
import { digestForm } from '../../edge/digest-form.ts'
import { formTruth } from '../../edge/form-flag.ts'
import type { RouteKit } from '../../edge/route-kit.ts'
import type { Form, FormFile } from '../../edge/read-form.ts'
import { type PaidCall, readJsonBody } from '../../edge/read-json-body.ts'
import { readPaidForm } from '../../edge/read-paid-form.ts'
import type { RouteCall } from '../../edge/route.ts'

/** What a request for a video brings. */
export interface ReadVideoRequest {
  /** As their key is once the request is read. */
  readonly caller: Caller
  readonly request: VideoRequest
  readonly file: VideoFile | null
  readonly isForm: boolean
  /** What was sent, in bytes that are the same when the same is sent again. */
  readonly body: Buffer | (() => Promise<Buffer>)
  /** Gives back the memory that the request takes. To be called once, when it is not needed any more. */
  readonly release: () => void
}

const FORM_TYPE = /^multipart\/form-data\b/i

/** @throws {ServiceError} 400, 401, 402, 403, 408, 413 or 503. */
export async function readVideoRequest(deps: RouteKit, call: RouteCall, paid: PaidCall): Promise<ReadVideoRequest> {
  const isForm = FORM_TYPE.test(call.request.headers['content-type'] ?? '')
  return isForm ? readVideoForm(deps, call, paid) : readVideoJson(deps, call, paid)
}

async function readVideoJson(deps: RouteKit, call: RouteCall, paid: PaidCall): Promise<ReadVideoRequest> {
  const bytesMax = deps.limits.configured.chatBodyBytes
  const { caller, body, release } = await readJsonBody(deps, call, { ...paid, bytesMax })
  try {
    const value = parseJsonObject(body)
    refuseVideoFields(value)
    return { caller, request: parseBySchema(videoRequest, value), file: null, isForm: false, body, release }
  } catch (error) {
    release()
    throw error
  }
}

/** How long the sender of a form may send nothing, in milliseconds. Source: own choice. */
const STALL_MS = 30_000

async function readVideoForm(deps: RouteKit, call: RouteCall, paid: PaidCall): Promise<ReadVideoRequest> {
  const limits = { fileBytesMax: VIDEO_FILE_BYTES_MAX, filesMax: 1, stallMs: STALL_MS }
  const { caller, form } = await readPaidForm(deps, call, paid, limits)
  try {
    const value = valueOf(form)
    refuseVideoFields(value)
    const request = parseBySchema(videoRequest, value)
    const [image] = form.files
    const file = image === undefined ? null : await readImage(deps, image)
    const release = (): void => deps.limits.bodies.give(file?.bytes.length ?? 0)
    const pieces = file === null ? [] : [file.bytes]
    const files = form.files.map(({ content: _content, ...sent }) => ({ ...sent, pieces }))
    return { caller, request, file, isForm: true, body: () => digestForm(form.fields, files), release }
  } finally {
    await form.discard()
  }
}

/** Takes the bytes of an image into memory, within the budget of all bodies: upstreams get it in one piece. */
async function readImage({ limits }: RouteKit, image: FormFile): Promise<VideoFile> {
  const { name, filename, contentType, content } = image
  if (name !== 'input_reference') {
    throw new ServiceError('invalid_value', `Invalid value for '${name}': expected no file.`, { param: name })
  }
  if (contentType === null || !IMAGE_TYPES.has(contentType)) {
    throw new ServiceError('unsupported_format', `An image must be ${[...IMAGE_TYPES].join(', ')}.`, {
      param: name,
    })
  }
  limits.bodies.take(content.byteLength)
  try {
    const chunks: Buffer[] = []
    for await (const chunk of content.stream()) chunks.push(chunk as Buffer)
    return { name: filename ?? 'image', contentType, bytes: Buffer.concat(chunks) }
  } catch (error) {
    limits.bodies.give(content.byteLength)
    throw error
  }
}

const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp'])

/** Fields that are numbers or truth values, which a form has as text. */
const numbers: ReadonlySet<string> = new Set(['duration', 'seed', 'n'])
const WHOLE = /^-?\d{1,15}$/

/** A form as the JSON that it means. What is no number or boolean stays text, and is refused as such. */
function valueOf({ fields }: Form): Record<string, unknown> {
  const value: Record<string, unknown> = {}
  for (const { name, value: text } of fields) {
    if (Object.hasOwn(value, name)) {
      throw new ServiceError('invalid_value', `The field '${name.slice(0, 64)}' appears twice in the form.`, {
        param: name.slice(0, 64),
      })
    }
    const [, inner] = /^input_reference\[(image_url|file_id)\]$/.exec(name) ?? []
    if (inner !== undefined) value['input_reference'] = { [inner]: text }
    else if (name === 'generate_audio') value[name] = formTruth(text)
    else if (numbers.has(name)) value[name] = WHOLE.test(text) ? Number(text) : text
    else value[name] = text
  }
  return value
}

/**
 * Fields that other makers of videos know, and that would change the price or make the upstream call another server.
 */
const refusedFields = ['callback_url', 'upscale', 'remix_video_id'] as const

/** Fields that no upstream gets are left out, so only those that lead elsewhere are refused. */
const guard = new WorkGuard('video', Object.keys(videoRequest.shape))

/** @throws {ServiceError} `unsupported_parameter`. */
export function refuseVideoFields(value: Readonly<Record<string, unknown>>): void {
  guard.readFields(value)
  const sent = refusedFields.find((field) => value[field] !== undefined && value[field] !== null)
  if (sent === undefined) return
  throw new ServiceError('unsupported_parameter', `Unsupported parameter: '${sent}' is not passed on.`, { param: sent })
}
