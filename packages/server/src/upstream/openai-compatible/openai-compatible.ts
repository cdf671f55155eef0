/**
 * The adapter for every server that speaks OpenAI's chat completions; others that speak a dialect of it build on this
 * one.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { parseJsonText } from '../../json/parse-json.ts'
import type { AttoUsd } from '../../pricing/price.ts'
import type { Clock } from '../../runtime/clock.ts'
import type {
  ChatStream,
  ChatStreamSink,
  ChatUpstream,
  UpstreamChatRequest,
  UpstreamCompletion,
} from '../chat-upstream.ts'
import { type CollectedResponse, collectResponse, type Exchange, startExchange } from '../http-exchange.ts'
import type { UpstreamClient } from '../upstream-client.ts'
import { transportFailure, type UpstreamFailure, upstreamFailure } from '../upstream-failure.ts'
import { ANSWER_BYTES_MAX, AnswerPage, ERROR_BYTES_MAX, OPEN_BRACE, type PageReading } from './answer-page.ts'
import { buildChatBody } from './chat-body.ts'
import type { ChatWire } from './chat-wire.ts'
import { ChatStreamReader } from './chat-stream.ts'
import { readCompletion } from './completion.ts'
import type { Dialect } from './dialect.ts'
import { chatFailure, failedChoice, findError, retryAfterSeconds } from './errors.ts'
import { isObject, readUsage } from './usage.ts'

export interface OpenAiCompatibleOptions {
  readonly name: string
  readonly client: UpstreamClient
  readonly dialect: Dialect
  /** For an upstream whose chats are not written as OpenAI's; absent: they are. */
  readonly wire?: ChatWire
  readonly clock: Clock
  /** Looks a cost up; null where the upstream has no such thing. */
  readonly findCost: ((generationId: string) => Promise<AttoUsd | null>) | null
}

type Deps = OpenAiCompatibleOptions

function writeChat({ wire, dialect }: Deps, request: UpstreamChatRequest): ReturnType<ChatWire['write']> {
  return wire?.write(request) ?? { path: '/chat/completions', body: buildChatBody(request, dialect) }
}

function chatRequest(deps: Deps, request: UpstreamChatRequest, written = writeChat(deps, request)) {
  const { path, body } = written
  return {
    origin: deps.client.origin,
    path: `${deps.client.basePath}${path}`,
    method: 'POST',
    headers: {
      ...deps.client.headers,
      accept: request.stream ? 'text/event-stream' : 'application/json',
      'content-type': 'application/json',
      ...(request.traceparent === undefined ? {} : { traceparent: request.traceparent }),
    },
    body,
  } as const
}

function readAnswer({ wire }: Deps, text: Buffer): unknown {
  return wire === undefined ? parseJsonText(text) : wire.readAnswer(text)
}

function generationIdOf(deps: Deps, headers: IncomingHttpHeaders): string | null {
  const place = deps.dialect.generationId
  const value = place === null ? undefined : headers[place.header]
  return typeof value === 'string' && value.length <= 200 ? value : null
}

/** @param body the whole answer, parsed; `value` is the part of it that holds the error. */
function failureOf(deps: Deps, response: CollectedResponse, value: unknown, body: unknown = value): UpstreamFailure {
  return chatFailure({
    upstream: deps.name,
    value,
    status: response.status,
    retryAfterSeconds: retryAfterSeconds(response.headers, deps.clock.now()),
    apiKey: deps.client.apiKey,
    failuresAreFree: deps.dialect.failuresAreFree,
    cost: isObject(body) ? (readUsage(body, () => response.body, deps.dialect)?.cost ?? null) : null,
  })
}

async function complete(deps: Deps, request: UpstreamChatRequest): Promise<UpstreamCompletion> {
  let response: CollectedResponse
  let generationId: string | null = null
  try {
    response = await collectResponse(deps.client.dispatcher, chatRequest(deps, request), {
      signal: request.signal,
      bytesMax: ANSWER_BYTES_MAX,
      onStart: (headers) => {
        generationId = generationIdOf(deps, headers)
      },
    })
  } catch (error) {
    throw transportFailure(deps.name, error, generationId)
  }
  const value = readAnswer(deps, response.body)
  const failed = response.status !== 200 || findError(value) !== null || !isObject(value)
  if (failed) throw failureOf(deps, response, value)
  const choice = failedChoice(value)
  if (choice !== null) throw failureOf(deps, response, choice, value)
  const completion = readCompletion(response.body, value, generationId, deps.dialect)
  if (completion === null) throw upstreamFailure('broken', { upstream: deps.name, status: 200 })
  return completion
}

async function countPrompt(
  deps: Deps,
  request: UpstreamChatRequest,
  count: NonNullable<ChatWire['count']>,
): Promise<number | null> {
  const sent = chatRequest(deps, request, count.write(request))
  const limits = { signal: request.signal, bytesMax: ERROR_BYTES_MAX }
  const response = await collectResponse(deps.client.dispatcher, sent, limits)
  const value = response.status === 200 ? parseJsonText(response.body) : null
  const tokens = isObject(value) ? value[count.field] : null
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : null
}

/** How a page that came in the place of a stream is understood. */
function pageReading(deps: Deps): PageReading {
  return {
    readAnswer: (body) => readAnswer(deps, body),
    failureOf: (response, value) => failureOf(deps, response, value),
  }
}

function isEventStream(headers: IncomingHttpHeaders): boolean {
  const type = headers['content-type']
  return type === undefined || /^(text\/event-stream|application\/octet-stream|text\/plain)\b/i.test(type)
}

function stream(deps: Deps, request: UpstreamChatRequest, sink: ChatStreamSink): Promise<ChatStream> {
  return new Promise((resolve, reject) => {
    let reader: ChatStreamReader | null = null
    let page: AnswerPage | null = null
    /** Headers of a stream of which nothing has come yet. */
    let unread: IncomingHttpHeaders | null = null
    const open = (headers: IncomingHttpHeaders): ChatStreamReader => {
      const opened = new ChatStreamReader(sink, {
        upstream: deps.name,
        apiKey: deps.client.apiKey,
        generationId: generationIdOf(deps, headers),
        dialect: deps.dialect,
        readFrames: deps.wire?.openEvents() ?? null,
      })
      resolve(streamOf(exchange, opened))
      return opened
    }
    const onAbort = (): void => exchange.abort(request.signal.reason as Error)
    const finish = (): void => request.signal.removeEventListener('abort', onAbort)
    const exchange: Exchange = startExchange(deps.client.dispatcher, chatRequest(deps, request), {
      start: (status, headers) => {
        if (status !== 200 || !isEventStream(headers)) {
          page = new AnswerPage(status, headers, pageReading(deps))
          return
        }
        reader = open(headers)
        unread = headers
      },
      data: (chunk) => {
        // Some servers keep the content type where they answer with plain JSON.
        if (unread !== null && chunk[0] === OPEN_BRACE) page = new AnswerPage(200, unread, pageReading(deps))
        unread = null
        if (page?.add(chunk) === false) exchange.abort(page.failure())
        if (reader === null || page !== null) return
        if (reader.ended) return exchange.abort(new Error('The upstream goes on after the end'))
        reader.data(chunk)
        // After `[DONE]` the answer is left to end by itself, so that its connection can serve the next request.
        if (reader.ended && !reader.sawDone) exchange.abort(new Error('The stream has failed'))
        if (reader.wantsPause) exchange.pause()
        reader.wantsPause = false
      },
      end: () => {
        finish()
        if (page === null || page.tell((headers) => reader ?? open(headers))) return reader?.close()
        const failure = page.failure()
        reader?.fail(failure)
        reject(failure)
      },
      fail: (error) => {
        finish()
        reader?.fail(error)
        reject(transportFailure(deps.name, error))
      },
    })
    if (request.signal.aborted) onAbort()
    else request.signal.addEventListener('abort', onAbort)
  })
}

function streamOf(exchange: Exchange, reader: ChatStreamReader): ChatStream {
  return {
    generationId: () => reader.generationId,
    pause: () => exchange.pause(),
    resume: () => exchange.resume(),
    stop: () => exchange.abort(new Error('The stream is stopped')),
  }
}

/** Longest model list that is read. The largest known is below two megabytes. */
const LIST_BYTES_MAX = 32 * 1024 * 1024

/** The longest that a model list may take, in milliseconds. Source: own choice. */
const LIST_MS = 30_000

/**
 * Fetches a JSON document below the base URL.
 * @param document.timeoutMs for the whole of it, headers and body.
 * @returns null when the answer is not 200 with JSON.
 * @throws {ServiceError} when the upstream cannot be reached or takes too long.
 */
export async function fetchJson(
  client: UpstreamClient,
  name: string,
  { path, timeoutMs }: { readonly path: string; readonly timeoutMs: number },
): Promise<{ text: Buffer; value: unknown } | null> {
  const headers = { ...client.headers, accept: 'application/json' }
  const request = {
    origin: client.origin,
    path: `${client.basePath}${path}`,
    method: 'GET',
    headers,
    body: null,
  } as const
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const response = await collectResponse(client.dispatcher, request, { signal, bytesMax: LIST_BYTES_MAX })
    const value = parseJsonText(response.body)
    return response.status === 200 && value !== undefined ? { text: response.body, value } : null
  } catch (error) {
    throw signal.aborted ? upstreamFailure('timeout', { upstream: name, cause: error }) : transportFailure(name, error)
  }
}

/** Builds the adapter. */
export function createOpenAiCompatible(options: OpenAiCompatibleOptions): ChatUpstream {
  const count = options.wire?.count ?? null
  return {
    name: options.name,
    supportsChoices: options.dialect.supportsChoices,
    complete: (request) => complete(options, request),
    stream: (request, sink) => stream(options, request, sink),
    countPrompt: count === null ? null : (request) => countPrompt(options, request, count),
    findCost: options.findCost ?? (() => Promise.resolve(null)),
    listModels: async () => {
      const list = await fetchJson(options.client, options.name, { path: '/models', timeoutMs: LIST_MS })
      return list?.value ?? null
    },
    close: () => options.client.close(),
  }
}
