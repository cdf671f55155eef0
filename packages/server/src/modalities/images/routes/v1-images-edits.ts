import { endpoints, INPUT_IMAGE_BYTES_MAX, INPUT_IMAGES_MAX } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../../platform/errors/service-error.ts'
import type { ImageCall } from '../image-call.ts'
import { parseImageEdit, parseImageForm } from '../parse-images.ts'
import type { Caller } from '../../../access/keys/caller.ts'
import { type AdmittedImages, answerImages } from '../answer-images.ts'
import { digestForm } from '../../../edge/digest-form.ts'
import type { ImageRoutesDeps } from '../image-routes-deps.ts'
import type { Form } from '../../../edge/read-form.ts'
import { readJsonBody } from '../../../edge/read-json-body.ts'
import { readPaidForm } from '../../../edge/read-paid-form.ts'
import { admitCaller, type RouteCall } from '../../../edge/route.ts'

const FORM_TYPE = /^multipart\/form-data\b/i

/** Images and masks of one form. */
const FORM_FILES_MAX = INPUT_IMAGES_MAX + 1

/** Reads a form's files into memory, since they go upstream as parts of one body, and takes the room for them. */
async function readFiles(deps: ImageRoutesDeps, { fields, files }: Form) {
  const bytes = files.reduce((sum, { content }) => sum + content.byteLength, 0)
  const { imageFormBytes } = deps.limits.configured
  if (bytes > imageFormBytes) {
    throw new ServiceError('request_too_large', `The files are larger than ${imageFormBytes} bytes.`, {
      param: 'image',
    })
  }
  deps.limits.bodies.take(bytes)
  try {
    const read = files.map(async ({ name, filename, contentType, content }) => ({
      name,
      fileName: filename ?? 'image',
      mediaType: contentType ?? 'application/octet-stream',
      bytes: await content.read(0, content.byteLength),
    }))
    return { form: { fields, files: await Promise.all(read) }, release: () => deps.limits.bodies.give(bytes) }
  } catch (error) {
    deps.limits.bodies.give(bytes)
    throw error
  }
}

interface ReadEdit {
  readonly caller: Caller
  readonly images: ImageCall
  readonly body: AdmittedImages['body']
  readonly release: () => void
}

const endpoint = endpoints.editImage

async function readEdit(deps: ImageRoutesDeps, call: RouteCall, admitted: Caller): Promise<ReadEdit> {
  const paid = { caller: admitted, endpoint, type: 'image' } as const
  if (!FORM_TYPE.test(call.request.headers['content-type'] ?? '')) {
    const bytesMax = deps.limits.configured.chatBodyBytes
    const { caller, body, release } = await readJsonBody(deps, call, { ...paid, bytesMax })
    return { caller, images: parsed(() => parseImageEdit(body), release), body, release }
  }
  const stallMs = deps.limits.configured.uploadStallMs
  const sizes = { fileBytesMax: INPUT_IMAGE_BYTES_MAX, filesMax: FORM_FILES_MAX, stallMs }
  const { caller, form } = await readPaidForm(deps, call, paid, sizes)
  try {
    const files = await readFiles(deps, form)
    const images = parsed(() => parseImageForm(files.form), files.release)
    return { caller, images, body: () => digestFiles(files.form), release: files.release }
  } finally {
    await form.discard()
  }
}

function digestFiles({ fields, files }: Awaited<ReturnType<typeof readFiles>>['form']): Promise<Buffer> {
  const digested = files.map(({ name, fileName, mediaType, bytes }) => ({
    ...{ name, filename: fileName, contentType: mediaType },
    pieces: [bytes],
  }))
  return digestForm(fields, digested)
}

/** What was read is given back at once when it is no request. */
function parsed(parse: () => ImageCall, release: () => void): ImageCall {
  try {
    return parse()
  } catch (error) {
    release()
    throw error
  }
}

/** POST /v1/images/edits, as a form or as JSON. The key is checked before the body is read. */
export function v1ImagesEdits(app: FastifyInstance, deps: ImageRoutesDeps): void {
  app.post(endpoint.path, async (request, reply) => {
    const call = { request, reply }
    const admitted = await admitCaller(deps, call, endpoint, 'cached')
    await deps.limits.images.take(admitted.keyId)
    const { caller, images, body, release } = await readEdit(deps, call, admitted)
    try {
      return await answerImages(deps, call, { caller, endpoint, images, body })
    } finally {
      release()
    }
  })
}
