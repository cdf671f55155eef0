/**
 * The typed client, for Node and browsers: the rows of `endpoints.ts` as functions.
 *
 * Answers are returned as the gateway sent them, with every money field as exact decimal text. They are not validated
 * again.
 */
import { type AnyInput, type Call, send } from './client-request.ts'
import type { Arguments, BytesReply, Client, ClientOptions, EventOf, ReplyOf } from './client-types.ts'
import { apiErrorFrom, ConnectionError, type ApiError } from './api-error.ts'
import type { CallableEndpoint } from './endpoints/endpoint.ts'
import { readEventData } from './event-stream.ts'
import { IdleTimer } from './idle-timer.ts'
import { parseJsonExact } from './json-number.ts'
import { isWorthRetrying, retryAfterMsOf, retryDelayMs } from './retry.ts'

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
    open: (endpoint, input, callOptions) =>
      openBytes(options, endpoint, { input: input as AnyInput, options: callOptions ?? {} }),
    stream: (endpoint, input, callOptions) =>
      streamEvents(options, endpoint, { input: input ?? {}, options: callOptions ?? {} }),
  }
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
    throw failureOf(error, call)
  } finally {
    idle.stop()
  }
}

async function openBytes(client: ClientOptions, endpoint: CallableEndpoint, call: Call): Promise<BytesReply> {
  const idle = new IdleTimer(client.timeoutMs ?? TIMEOUT_MS)
  const signal = call.options.signal === undefined ? idle.signal : AbortSignal.any([call.options.signal, idle.signal])
  try {
    const response = await send(client, endpoint, call, signal)
    if (!response.ok) throw errorFrom(response, await response.text())
    const { headers } = response
    const length = headers.get('content-length')
    return {
      contentType: (headers.get('content-type') ?? '').split(';')[0]?.trim() ?? '',
      headers,
      length: length === null ? null : Number(length),
      bytes: watchBytes(idle, response, call),
    }
  } catch (error) {
    idle.stop()
    throw failureOf(error, call)
  }
}

async function* watchBytes(idle: IdleTimer, response: Response, call: Call): AsyncGenerator<Uint8Array> {
  try {
    yield* idle.watch(readBytes(response))
  } catch (error) {
    throw failureOf(error, call)
  } finally {
    idle.stop()
  }
}

/** What the caller is told: their own reason to stop, an answer's failure, or that the connection broke. */
function failureOf(error: unknown, call: Call): unknown {
  if (call.options.signal?.aborted === true) return call.options.signal.reason
  return error instanceof Error && (error.name === 'ApiError' || error.name === 'ConnectionError')
    ? error
    : connectionErrorFrom(error)
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
