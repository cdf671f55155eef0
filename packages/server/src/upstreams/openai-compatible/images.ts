/** The adapter for images: every server that makes them over HTTP in OpenAI's form or in OpenRouter's. */
import type { IncomingHttpHeaders } from 'node:http'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { parseJsonText } from '../../platform/json/parse-json.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { FormFinder } from '../body-form.ts'
import type { Egress } from '../egress-guard.ts'
import { fetchRender } from '../fetch-render.ts'
import { type CollectedResponse, ResponseTooLargeError, startExchange } from '../http-exchange.ts'
import type { ImageUpstream, PartialImage, Render, UpstreamImageRequest, UpstreamImages } from '../image-upstream.ts'
import type { UpstreamClient } from '../upstream-client.ts'
import { isContentRefusal } from '../find-refusal.ts'
import { transportFailure, upstreamFailure, withBill } from '../upstream-failure.ts'
import { AnswerBytes } from './answer-bytes.ts'
import type { Dialect } from './dialect.ts'
import { chatFailure, findError, retryAfterSeconds } from './errors.ts'
import { readAnswerFacts, readEntries } from './image-answer.ts'
import type { ImageBody } from './image-body.ts'
import { ImageStreamReader } from './image-stream.ts'
import { idInHeaders, costOfFailure, isObject } from './usage.ts'

/** Longest answer that is kept in memory: ten images of the largest size that is sold. Source: own choice. */
const ANSWER_BYTES_MAX = 192 * 1024 * 1024

/** Shortest wait for images, in milliseconds: those of high quality take minutes. Source: own choice. */
const PATIENCE_MS = 300_000

export interface ImagesOptions {
  readonly name: string
  readonly client: UpstreamClient
  readonly egress: Egress
  readonly clock: Clock
  readonly firstByteMs: number
  readonly dialect: Pick<Dialect, 'reportsCost' | 'failuresAreFree'> & {
    /** Header that carries the id to look a cost up by; null where costs cannot be looked up. */
    readonly generationIdHeader: string | null
  }
  readonly buildBody: (request: UpstreamImageRequest, stream: boolean) => ImageBody
  /** As in the port. */
  readonly check: ImageUpstream['check']
}

function exchangeOf(options: ImagesOptions, request: UpstreamImageRequest, stream: boolean) {
  const { path, contentType, body } = options.buildBody(request, stream)
  return {
    origin: options.client.origin,
    path: `${options.client.basePath}${path}`,
    method: 'POST',
    headers: {
      ...options.client.headers,
      accept: stream ? 'text/event-stream' : 'application/json',
      'content-type': contentType,
      ...(request.traceparent === undefined ? {} : { traceparent: request.traceparent }),
    },
    body,
    headersTimeoutMs: Math.max(options.firstByteMs, PATIENCE_MS),
    patience: { ...options.client.patience, firstMs: Math.max(options.firstByteMs, PATIENCE_MS) },
  } as const
}

function generationIdOf({ dialect }: ImagesOptions, headers: IncomingHttpHeaders): string | null {
  return idInHeaders(dialect.generationIdHeader, headers)
}

function failureOf(options: ImagesOptions, response: CollectedResponse, value: unknown): ServiceError {
  return chatFailure({
    upstream: options.name,
    value,
    status: response.status,
    retryAfterSeconds: retryAfterSeconds(response.headers, options.clock.now()),
    apiKey: options.client.apiKey,
    failuresAreFree: options.dialect.failuresAreFree,
    cost: costOfFailure(value, () => response.body, options.dialect),
    generationId: generationIdOf(options, response.headers),
  })
}

/** Makes an answer of an upstream's own: images that it only names are fetched, all at once. */
async function readAnswer(
  options: ImagesOptions,
  request: UpstreamImageRequest,
  response: CollectedResponse,
): Promise<UpstreamImages> {
  const value = parseJsonText(response.body)
  if (response.status !== 200 || findError(value) !== null || !isObject(value)) {
    throw failureOf(options, response, value)
  }
  const entries = readEntries(value)
  const found = await Promise.all(
    entries.map(async (entry): Promise<Render | null> => {
      if (entry.kind === 'render') return entry.render
      if (entry.kind === 'nothing') return null
      const fetched = await fetchRender(options, entry.url, request.signal)
      return fetched === null ? null : { ...fetched, revisedPrompt: entry.revisedPrompt }
    }),
  )
  const renders = found.filter((render) => render !== null).slice(0, request.count)
  const facts = readAnswerFacts(value, () => response.body, options.dialect)
  const generationId = generationIdOf(options, response.headers)
  if (renders.length === 0 && isContentRefusal(value['data'])) {
    throw upstreamFailure('content_policy', { upstream: options.name, status: 200, cost: facts.cost, generationId })
  }
  return { renders, answered: entries.length, ...facts, generationId }
}

/** Asks for images. The body says whether it is one answer or events, whatever was asked for. */
function createImage(
  options: ImagesOptions,
  request: UpstreamImageRequest,
  onPartial: ((partial: PartialImage) => void) | null,
): Promise<UpstreamImages> {
  const { promise, resolve, reject } = Promise.withResolvers<UpstreamImages>()
  let reader: ImageStreamReader | null = null
  let finder = new FormFinder(undefined)
  let isFormKnown = false
  let status = 0
  let headers: IncomingHttpHeaders = {}
  const bytes = new AnswerBytes(ANSWER_BYTES_MAX)
  let length = 0
  const failed = (error: Error): void => {
    const generationId = generationIdOf(options, headers)
    reject(withBill(error, options.name, { cost: null, usage: null, generationId }))
  }
  /** What came of the events; a failure that they report goes before that of the connection. */
  const settle = (error: Error | null): void => {
    const made = reader?.end() ?? null
    if (made === null) return failed(error ?? new Error('The answer never began'))
    // What the upstream says itself is its verdict: it needs not be asked what it bills.
    if (made instanceof ServiceError && (error === null || reader?.error != null)) return reject(made)
    if (made instanceof ServiceError) return failed(transportFailure(options.name, error))
    resolve({ ...made, generationId: generationIdOf(options, headers) })
  }
  const onAbort = (): void => exchange.abort(request.signal.reason as Error)
  const exchange = startExchange(options.client.dispatcher, exchangeOf(options, request, onPartial !== null), {
    start: (startedStatus, startedHeaders) => {
      status = startedStatus
      headers = startedHeaders
      isFormKnown = status !== 200
      finder = new FormFinder(headers['content-type'])
    },
    data: (chunk) => {
      length += chunk.length
      if (length > ANSWER_BYTES_MAX) return exchange.abort(new ResponseTooLargeError(ANSWER_BYTES_MAX))
      const found = isFormKnown ? { form: null, bytes: chunk } : finder.add(chunk)
      if (found === null) return
      isFormKnown = true
      if (found.form === 'events') {
        const { name, dialect, client } = options
        const told = { name, dialect, apiKey: client.apiKey, count: request.count }
        reader = new ImageStreamReader(told, onPartial ?? (() => undefined), () => {
          settle(null)
          exchange.abort(new Error('The answer is over'))
        })
      }
      if (reader === null) bytes.add(found.bytes)
      else if (!reader.push(found.bytes)) exchange.abort(reader.error ?? new Error('The stream has failed'))
    },
    end: () => {
      if (reader !== null) return settle(null)
      void readAnswer(options, request, { status, headers, body: bytes.joined() }).then(resolve, reject)
    },
    // What was complete before the connection broke has come.
    fail: (error) => {
      if (reader === null) failed(transportFailure(options.name, error))
      else settle(error)
    },
  })
  if (request.signal.aborted) onAbort()
  else request.signal.addEventListener('abort', onAbort)
  return promise.finally(() => request.signal.removeEventListener('abort', onAbort))
}

/** Builds the port. */
export function createImages(options: ImagesOptions): ImageUpstream {
  return {
    check: options.check,
    create: async (request, onPartial) => {
      if (request.confidential) {
        const message = 'No confidential-compute provider is configured for this model.'
        throw new ServiceError('upstream_unavailable', message)
      }
      const made = await createImage(options, request, onPartial)
      if (made.renders.length > 0 || made.cost !== null) return made
      throw upstreamFailure('empty', { upstream: options.name, generationId: made.generationId })
    },
  }
}
