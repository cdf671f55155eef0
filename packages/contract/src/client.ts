/**
 * The typed client, for Node and browsers: the rows of `endpoints.ts` as functions.
 *
 * Answers are returned as the gateway sent them, with every money field as exact decimal text. They are not validated
 * again.
 */
import type { z } from 'zod'
import { apiErrorFrom, ConnectionError, type ApiError } from './api-error.ts'
import type { CallableEndpoint } from './endpoints/endpoint.ts'
import type { endpoints } from './endpoints.ts'
import { readEventData } from './event-stream.ts'
import { IdleTimer } from './idle-timer.ts'
import { parseJsonExact } from './json-number.ts'
import type { Exact } from './money-schema.ts'
import { isWorthRetrying, retryAfterMsOf, retryDelayMs } from './retry.ts'

export interface ClientOptions {
  /** Ends in `/api`; a slash after it does no harm. */
  readonly baseUrl: string
  /** Raw API key; not needed for public endpoints. */
  readonly key?: string
  readonly fetch?: typeof globalThis.fetch
  /** Retries of a GET, not counting the first attempt. */
  readonly retriesMax?: number
  /** Longest time for one attempt of a call that does not stream. */
  readonly timeoutMs?: number
  /** Longest silence inside a stream. The gateway sends a sign of life every 15 s. */
  readonly idleTimeoutMs?: number
  /** Waits between attempts; for tests. */
  readonly wait?: (ms: number) => Promise<void>
}

export interface CallOptions {
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
  /** Told of each answer once its headers are there: also of those that fail, and of every attempt. */
  readonly onResponse?: (response: Pick<Response, 'status' | 'headers'>) => void
}

type InputPart<Row extends CallableEndpoint, Part extends 'path' | 'query' | 'body'> = Row['request'] extends {
  readonly [Key in Part]: infer Schema extends z.ZodObject
}
  ? Part extends 'query'
    ? { readonly query?: z.input<Schema> }
    : { readonly [Key in Part]: z.input<Schema> }
  : unknown

/** What a call of a row takes: its path parameters, query and body, each as the row's schema says. */
export type InputOf<Row extends CallableEndpoint> = InputPart<Row, 'path'> &
  InputPart<Row, 'query'> &
  InputPart<Row, 'body'>

/** What a call of a row returns. A row that answers bytes alone cannot be called for JSON. */
export type ReplyOf<Row extends CallableEndpoint> = Row['reply'] extends {
  readonly json: infer Schema extends z.ZodType
}
  ? Exact<z.output<Schema>>
  : never

/** One event of a row that streams. */
export type EventOf<Row extends CallableEndpoint> = Row['reply'] extends {
  readonly event: infer Schema extends z.ZodType
}
  ? Exact<z.output<Schema>>
  : never

type Arguments<Row extends CallableEndpoint> =
  Record<never, never> extends InputOf<Row>
    ? [input?: InputOf<Row>, options?: CallOptions]
    : [input: InputOf<Row>, options?: CallOptions]

type StreamingEndpoint = Extract<
  (typeof endpoints)[keyof typeof endpoints],
  { readonly reply: { readonly event: z.ZodType } }
>

export interface Client {
  /**
   * Calls an endpoint. GETs are retried as the OpenAI clients do; nothing else is.
   * @throws {ApiError} when the gateway answers with a failure.
   * @throws {ConnectionError} when it cannot be reached, breaks off, or takes longer than the limit.
   */
  call<Row extends CallableEndpoint>(endpoint: Row, ...rest: Arguments<Row>): Promise<ReplyOf<Row>>
  /**
   * Calls an endpoint that streams, and yields its events; the last carries `svc`. Leaving the loop ends the request.
   * @throws {ApiError} when the gateway answers with a failure, or sends one in mid-stream.
   * @throws {ConnectionError} when it cannot be reached, or the stream breaks off before its end.
   */
  stream<Row extends StreamingEndpoint>(
    endpoint: Row,
    input: InputOf<Row>,
    options?: CallOptions,
  ): AsyncGenerator<EventOf<Row>, void, undefined>
}

interface AnyInput {
  readonly path?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: Readonly<Record<string, unknown>>
}

const RETRIES_MAX = 2
/** Source: the OpenAI clients. */
const TIMEOUT_MS = 600_000
const IDLE_TIMEOUT_MS = 60_000

export function createClient(options: ClientOptions): Client {
  return {
    async call<Row extends CallableEndpoint>(endpoint: Row, ...[input, callOptions]: Arguments<Row>) {
      const text = await callWithRetries(options, endpoint, { input: input ?? {}, options: callOptions ?? {} })
      return parseJsonExact(text) as ReplyOf<Row>
    },
    stream: (endpoint, input, callOptions) =>
      streamEvents(options, endpoint, { input: input ?? {}, options: callOptions ?? {} }),
  }
}

interface Call {
  readonly input: AnyInput
  readonly options: CallOptions
}

async function callWithRetries(client: ClientOptions, endpoint: CallableEndpoint, call: Call): Promise<string> {
  const retries = endpoint.method === 'GET' ? (client.retriesMax ?? RETRIES_MAX) : 0
  const wait = client.wait ?? waitMs
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await attemptCall(client, endpoint, call)
    if (outcome.kind === 'ok') return outcome.text
    if (attempt >= retries || !outcome.retry || call.options.signal?.aborted === true) throw outcome.error
    await wait(retryDelayMs(attempt, outcome.retryAfterMs))
  }
}

type Outcome =
  | { readonly kind: 'ok'; readonly text: string }
  | { readonly kind: 'failed'; readonly error: Error; readonly retry: boolean; readonly retryAfterMs: number | null }

async function attemptCall(client: ClientOptions, endpoint: CallableEndpoint, call: Call): Promise<Outcome> {
  const limit = AbortSignal.timeout(client.timeoutMs ?? TIMEOUT_MS)
  const signal = call.options.signal === undefined ? limit : AbortSignal.any([call.options.signal, limit])
  try {
    const response = await send(client, endpoint, call, signal)
    const text = await response.text()
    if (response.ok) return { kind: 'ok', text }
    const error = errorFrom(response, text)
    return { kind: 'failed', error, retry: isWorthRetrying(response), retryAfterMs: error.retryAfterMs }
  } catch (cause) {
    call.options.signal?.throwIfAborted()
    return { kind: 'failed', error: connectionErrorFrom(cause), retry: true, retryAfterMs: null }
  }
}

async function* streamEvents<Row extends CallableEndpoint>(
  client: ClientOptions,
  endpoint: Row,
  call: Call,
): AsyncGenerator<EventOf<Row>, void, undefined> {
  const idle = new IdleTimer(client.idleTimeoutMs ?? IDLE_TIMEOUT_MS)
  const signal = call.options.signal === undefined ? idle.signal : AbortSignal.any([call.options.signal, idle.signal])
  try {
    const response = await send(client, endpoint, withStream(call), signal)
    if (!response.ok) throw errorFrom(response, await response.text())
    for await (const data of readEventData(idle.watch(readBytes(response)))) {
      if (data === '[DONE]') return
      yield eventFrom(data, response) as EventOf<Row>
    }
    throw new ConnectionError('The stream ended before its last event.', null)
  } catch (error) {
    call.options.signal?.throwIfAborted()
    throw error instanceof Error && (error.name === 'ApiError' || error.name === 'ConnectionError')
      ? error
      : connectionErrorFrom(error)
  } finally {
    idle.stop()
  }
}

/** The bytes of an answer. Not its own iterator, which some browsers lack. */
async function* readBytes(response: Response): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = response.body?.getReader()
  if (reader === undefined) return
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel()
  }
}

function withStream(call: Call): Call {
  return { ...call, input: { ...call.input, body: { ...call.input.body, stream: true } } }
}

function eventFrom(data: string, response: Response): unknown {
  const event = parseJsonExact(data)
  if (typeof event !== 'object' || event === null || !('error' in event) || event.error === null) return event
  const requestId = response.headers.get('x-request-id')
  throw apiErrorFrom(event, { status: null, requestId, retryAfterMs: null })
}

async function send(
  client: ClientOptions,
  endpoint: CallableEndpoint,
  call: Call,
  signal: AbortSignal,
): Promise<Response> {
  const { body } = call.input
  const response = await (client.fetch ?? globalThis.fetch)(urlOf(client.baseUrl, endpoint, call.input), {
    method: endpoint.method,
    headers: {
      accept: endpoint.reply.event === undefined ? 'application/json' : 'application/json, text/event-stream',
      ...(client.key === undefined ? {} : { authorization: `Bearer ${client.key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...call.options.headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal,
  })
  call.options.onResponse?.(response)
  return response
}

function urlOf(baseUrl: string, endpoint: CallableEndpoint, input: AnyInput): string {
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    const value = input.path?.[name]
    if (typeof value !== 'string' || value === '') throw new TypeError(`The path parameter ${name} is missing.`)
    return encodeURIComponent(value)
  })
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (typeof value === 'string' || typeof value === 'number') query.set(name, String(value))
  }
  const search = query.size === 0 ? '' : `?${query.toString()}`
  return `${baseUrl.replace(/\/+$/, '')}${path}${search}`
}

function errorFrom(response: Response, text: string): ApiError {
  return apiErrorFrom(parseOrNull(text), {
    status: response.status,
    requestId: response.headers.get('x-request-id'),
    retryAfterMs: retryAfterMsOf(response.headers),
  })
}

function parseOrNull(text: string): unknown {
  try {
    return parseJsonExact(text)
  } catch {
    return null
  }
}

function connectionErrorFrom(cause: unknown): ConnectionError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new ConnectionError(`The gateway could not be reached: ${reason}`, cause)
}

function waitMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
