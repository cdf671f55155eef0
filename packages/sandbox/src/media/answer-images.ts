import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { randomUUID } from 'node:crypto'
import type { ImageFrame } from '../images/image-job.ts'
import { sendJson } from '../send-reply.ts'
import { beginMedia, goneSignal, type MediaDeps, type MediaTask, sendHalf, waitIfSlow } from './begin-media.ts'
import { bytesOfAddress, flagAt, invalid, type MediaBody, numberAt, parseMediaBody, textAt } from './media-body.ts'
import { costOfMedia } from './media-cost.ts'
import { imageSize } from './image-size.ts'
import { imageTokens, usedQuality } from './image-tokens.ts'

/** Whose words an answer is in: OpenRouter's `/images`, or OpenAI's two addresses. */
export type ImageDialect = 'openrouter' | 'generations' | 'edits'

/** A request as the sandbox understands it; what it does not know is ignored, as upstreams do. */
interface ImageRequest {
  readonly prompt: string
  readonly count: number
  readonly frame: ImageFrame
  readonly quality: string | null
  readonly resolution: string | null
  readonly seed: string
  readonly inputs: readonly Buffer[]
  readonly mask: Buffer | null
  readonly isStreamed: boolean
  readonly partials: number
}

/** Source: the OpenAI API reference, "Create image" and "Create image edit". */
const COUNT_MAX = 10
const PROMPT_MAX = 32_000
const INPUTS_MAX = 16
const PARTIALS_MAX = 3

/**
 * Answers a request for images.
 * @throws {SandboxError} for what an upstream would refuse.
 */
export async function answerImages(
  deps: MediaDeps,
  { headers, body }: { readonly headers: IncomingHttpHeaders; readonly body: Buffer },
  dialect: ImageDialect,
  response: ServerResponse,
): Promise<void> {
  const parsed = await parseMediaBody(headers, body)
  const id = textAt(parsed, 'model')
  if (id === null) throw invalid('model: expected text')
  const request = readRequest(parsed, dialect, deps.options.seed)
  const task = beginMedia(deps, id, 'image', response)
  if (task === null) return
  await waitIfSlow(deps, task.script)
  const made = await makeImages(deps, task, request, goneSignal(response))
  if (response.destroyed) return
  const exchange: ImageExchange = {
    deps,
    task,
    request,
    dialect,
    response,
    id: `gen-${randomUUID()}`,
  }
  return request.isStreamed ? sendStream(exchange, made) : sendWhole(exchange, made)
}

interface ImageExchange {
  readonly deps: MediaDeps
  readonly task: MediaTask
  readonly request: ImageRequest
  readonly dialect: ImageDialect
  readonly response: ServerResponse
  readonly id: string
}

/** One image: the partial ones first. */
type Made = readonly Uint8Array[]

function readRequest(body: MediaBody, dialect: ImageDialect, sandboxSeed: string): ImageRequest {
  const prompt = textAt(body, 'prompt')
  if (prompt === null || prompt.trim() === '') throw invalid('prompt: expected text')
  if ([...prompt].length > PROMPT_MAX) throw invalid(`prompt: at most ${PROMPT_MAX} characters`)
  const resolution = textAt(body, 'resolution')
  const size = imageSize(textAt(body, 'size'), resolution, textAt(body, 'aspect_ratio'))
  const inputs = readInputs(body)
  if (dialect === 'edits' && inputs.length === 0) throw invalid('image: expected an image')
  const isStreamed = flagAt(body, 'stream')
  const seed = body.fields['seed'] ?? null
  return {
    ...{ prompt, inputs, isStreamed, resolution },
    count: numberAt(body, 'n', { min: 1, max: COUNT_MAX }) ?? 1,
    frame: {
      ...size,
      format: readFormat(body),
      quality: numberAt(body, 'output_compression', { min: 0, max: 100 }),
      isTransparent: textAt(body, 'background') === 'transparent',
    },
    quality: textAt(body, 'quality'),
    seed: `${sandboxSeed}|${typeof seed === 'number' || typeof seed === 'string' ? seed : prompt}`,
    mask: body.files.get('mask')?.[0] ?? (body.fields['mask'] ? bytesOfAddress(addressIn(body.fields['mask'])) : null),
    partials: isStreamed ? (numberAt(body, 'partial_images', { min: 0, max: PARTIALS_MAX }) ?? 0) : 0,
  }
}

function readFormat(body: MediaBody): ImageFrame['format'] {
  const format = textAt(body, 'output_format') ?? 'png'
  if (format === 'png' || format === 'jpeg' || format === 'webp' || format === 'svg') return format
  throw invalid('output_format: expected png, jpeg, webp or svg')
}

function readInputs({ fields, files }: MediaBody): Buffer[] {
  const named = fields['input_references'] ?? fields['images'] ?? []
  const given = [
    ...(files.get('image') ?? []),
    ...(Array.isArray(named) ? named : []).map((each) => bytesOfAddress(addressIn(each))),
  ]
  if (given.length > INPUTS_MAX) throw invalid(`image: at most ${INPUTS_MAX} images`)
  return given
}

/** `{ image_url: { url } }`, `{ image_url: url }`, or the address itself. */
function addressIn(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'image_url' in value ? value.image_url : value
}

async function makeImages(
  { studios, options }: MediaDeps,
  { model, script }: MediaTask,
  request: ImageRequest,
  signal: AbortSignal,
): Promise<Made[]> {
  const { prompt, frame, inputs, mask, partials } = request
  const count = script.result === 'one' ? 1 : request.count
  if (script.result === 'empty' || script.result === 'blank') return []
  if (script.result === 'broken') return Array.from({ length: count }, () => [Buffer.from('no image')])
  const made: Made[] = []
  for (let at = 0; at < count; at += 1) {
    const seed = `${request.seed}|${at}|${model.id}|${options.seed}`
    const result = await studios.image.run({ kind: 'image', prompt, seed, frame, inputs, mask, partials }, { signal })
    if (result.kind === 'files') made.push(result.files)
  }
  return made
}

const mediaTypes = { png: 'image/png', jpeg: 'image/jpeg', webp: 'image/webp', svg: 'image/svg+xml' } as const

function sendWhole(exchange: ImageExchange, made: readonly Made[]): void {
  const { response, task, id } = exchange
  const entries = made.map((files) => renderEntry(exchange, files.at(-1)))
  const data = task.script.result === 'blank' ? [{}] : entries
  const text = closeWith(exchange, { created: createdOf(exchange), data, ...settingsOf(exchange) }, made.length)
  const headers = { 'x-generation-id': id }
  if (task.script.result !== 'cut') return sendJson(response, 200, text, headers)
  return sendHalf(response, Buffer.from(text), { ...headers, 'content-type': 'application/json' })
}

function createdOf({ deps }: ImageExchange): number {
  return Math.floor(deps.options.clock.now() / 1_000)
}

function renderEntry(
  { dialect, request }: ImageExchange,
  file: Uint8Array | undefined,
): Readonly<Record<string, string>> {
  const b64 = Buffer.from(file ?? []).toString('base64')
  return dialect === 'openrouter' ? { b64_json: b64, media_type: mediaTypes[request.frame.format] } : { b64_json: b64 }
}

function qualityOf({ model }: MediaTask, { quality }: ImageRequest): string | null {
  return model.prices.type === 'image' ? usedQuality(model.prices, quality) : quality
}

/** OpenAI says what it used. */
function settingsOf({ dialect, request, task }: ImageExchange): Readonly<Record<string, string>> {
  if (dialect === 'openrouter') return {}
  const { width, height, format, isTransparent } = request.frame
  return {
    background: isTransparent ? 'transparent' : 'opaque',
    output_format: format,
    quality: qualityOf(task, request) ?? 'auto',
    size: `${width}x${height}`,
  }
}

/** Writes the object with its usage, whose cost is decimal text that no float has touched. */
function closeWith(exchange: ImageExchange, value: object, renders: number): string {
  return `${JSON.stringify(value).slice(0, -1)},"usage":${usageOf(exchange, renders)}}`
}

function usageOf({ task, request, dialect }: ImageExchange, renders: number): string {
  const { width, height } = request.frame
  const input = Math.ceil(request.prompt.length / 4)
  const { resolution } = request
  const quality = qualityOf(task, request)
  const output = imageTokens(quality, width * height) * renders
  const inputs = request.inputs.length
  const use = { type: 'image', renders, inputs, width, height, quality, resolution } as const
  const cost = task.script.reportsCost && renders > 0 ? costOfMedia(task.model.prices, use) : null
  const tail = cost === null ? '' : `,"cost":${cost}`
  if (dialect === 'openrouter') {
    return `{"prompt_tokens":${input},"completion_tokens":${output},"total_tokens":${input + output}${tail}}`
  }
  const details = `"input_tokens_details":{"text_tokens":${input},"image_tokens":0}`
  return `{"input_tokens":${input},"output_tokens":${output},"total_tokens":${input + output},${details}${tail}}`
}

/** Source: the OpenAI API reference, "Image generation streaming events"; OpenRouter sends the same without names. */
function sendStream(exchange: ImageExchange, made: readonly Made[]): void {
  const { response, dialect, id, task } = exchange
  const base = dialect === 'edits' ? 'image_edit' : 'image_generation'
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-generation-id': id })
  const send = (type: string, text: string): void => {
    response.write(`${dialect === 'openrouter' ? '' : `event: ${type}\n`}data: ${text}\n\n`)
  }
  response.write(': SANDBOX PROCESSING\n\n')
  for (const files of made) {
    for (const [index, file] of files.slice(0, -1).entries()) {
      const type = `${base}.partial_image`
      const entry = renderEntry(exchange, file)
      send(
        type,
        JSON.stringify({
          type,
          ...entry,
          partial_image_index: index,
          created_at: createdOf(exchange),
          ...settingsOf(exchange),
        }),
      )
    }
    const type = `${base}.completed`
    const facts = { created: createdOf(exchange), created_at: createdOf(exchange), ...settingsOf(exchange) }
    if (task.script.result === 'cut') return void response.destroy()
    send(type, closeWith(exchange, { type, ...renderEntry(exchange, files.at(-1)), ...facts }, 1))
  }
  response.end('data: [DONE]\n\n')
}
