/**
 * The typed client, for Node and browsers: the rows of `endpoints.ts` as functions.
 *
 * Answers are returned as the gateway sent them, with every money field as exact decimal text. They are not validated
 * again.
 */
import { type AnyInput, type Call, send, writeCall } from './client-request.ts'
import type { Arguments, BytesReply, Client, ClientOptions, EventOf, FetchResponse, ReplyOf } from './client-types.ts'
import { apiErrorFrom, ConnectionError, type ApiError } from './api-error.ts'
import type { CallableEndpoint } from './endpoints/endpoint.ts'
import { readEventData } from './event-stream.ts'
import { IdleTimer } from './idle-timer.ts'
import { parseJsonExact } from './json-number.ts'
import { type Outcome, repeatCall } from './repeat-call.ts'
import { isWorthRetrying, retryAfterMsOf } from './retry.ts'

/** Source: the OpenAI clients. */
const TIMEOUT_MS = 600_000
const IDLE_TIMEOUT_MS = 60_000

export function createClient(options: ClientOptions): Client {
  return {
    async call<Row extends CallableEndpoint>(endpoint: Row, ...[input, callOptions]: Arguments<Row>) {
      const text = await callForText(options, endpoint, { input: input ?? {}, options: callOptions ?? {} })
      return parseJsonExact(text) as ReplyOf<Row>
    },
    open: (endpoint, input, callOptions) =>
      openBytes(options, endpoint, { input: input as AnyInput, options: callOptions ?? {} }),
    stream: (endpoint, input, callOptions) =>
      streamEvents(options, endpoint, { input: input ?? {}, options: callOptions ?? {} }),
  }
}

async function callForText(client: ClientOptions, endpoint: CallableEndpoint, call: Call): Promise<string> {
  const written = writeCall(client, endpoint, call)
  return repeatCall(client, endpoint, call, (named) =>
    outcomeOf<string>(async () => {
      const limit = AbortSignal.timeout(client.timeoutMs ?? TIMEOUT_MS)
      const response = await send(client, written, named, eitherSignal(call, limit))
      const text = await response.text()
      return response.ok ? { kind: 'ok', result: text } : refusal(response, text)
    }),
  )
}

/** An answer that has begun, and the timer that ends it where it falls silent. */
interface Opened {
  readonly response: FetchResponse
  readonly idle: IdleTimer
}

/** Resolves once a successful answer begins; until then the call is tried again. */
async function openAnswer(
  client: ClientOptions,
  endpoint: CallableEndpoint,
  call: Call,
  idleMs: number,
): Promise<Opened> {
  const written = writeCall(client, endpoint, call)
  return repeatCall(client, endpoint, call, async (named) => {
    const idle = new IdleTimer(idleMs)
    const outcome = await outcomeOf<Opened>(async () => {
      const response = await send(client, written, named, eitherSignal(call, idle.signal))
      return response.ok ? { kind: 'ok', result: { response, idle } } : refusal(response, await response.text())
    })
    if (outcome.kind === 'failed') idle.stop()
    return outcome
  })
}

function refusal(response: FetchResponse, text: string): Outcome<never> {
  const error = errorFrom(response, text)
  return { kind: 'failed', error, retry: isWorthRetrying(response), retryAfterMs: error.retryAfterMs }
}

async function outcomeOf<Result>(attempt: () => Promise<Outcome<Result>>): Promise<Outcome<Result>> {
  try {
    return await attempt()
  } catch (cause) {
    const error = connectionErrorFrom(cause)
    return { kind: 'failed', error, retry: !error.isPermanent, retryAfterMs: null }
  }
}

function eitherSignal(call: Call, limit: AbortSignal): AbortSignal {
  return call.options.signal === undefined ? limit : AbortSignal.any([call.options.signal, limit])
}

async function* streamEvents<Row extends CallableEndpoint>(
  client: ClientOptions,
  endpoint: Row,
  call: Call,
): AsyncGenerator<EventOf<Row>, void, undefined> {
  const idleMs = client.idleTimeoutMs ?? IDLE_TIMEOUT_MS
  const { response, idle } = await openAnswer(client, endpoint, withStream(call), idleMs)
  try {
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
  const { response, idle } = await openAnswer(client, endpoint, call, client.timeoutMs ?? TIMEOUT_MS)
  const { headers } = response
  const length = headers.get('content-length')
  return {
    contentType: (headers.get('content-type') ?? '').split(';')[0]?.trim() ?? '',
    headers,
    length: length === null ? null : Number(length),
    bytes: watchBytes(idle, response, call),
  }
}

async function* watchBytes(idle: IdleTimer, response: FetchResponse, call: Call): AsyncGenerator<Uint8Array> {
  try {
    yield* idle.watch(readBytes(response))
  } catch (error) {
    throw failureOf(error, call)
  } finally {
    idle.stop()
  }
}

/** What the caller gets: their own reason to stop, an answer's failure, or that the connection broke. */
function failureOf(error: unknown, call: Call): unknown {
  if (call.options.signal?.aborted === true) return call.options.signal.reason
  return error instanceof Error && error.name === 'ApiError' ? error : connectionErrorFrom(error)
}

/** The bytes of an answer. Not its own iterator, which some browsers lack. */
async function* readBytes(response: FetchResponse): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = response.body?.getReader()
  if (reader === undefined) return
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || value === undefined) return
      yield value
    }
  } finally {
    await reader.cancel()
  }
}

function withStream(call: Call): Call {
  return { ...call, input: { ...call.input, body: { ...call.input.body, stream: true } } }
}

function eventFrom(data: string, response: FetchResponse): unknown {
  const event = parseJsonExact(data)
  if (typeof event !== 'object' || event === null || !('error' in event) || event.error === null) return event
  const requestId = response.headers.get('x-request-id')
  throw apiErrorFrom(event, { status: null, requestId, retryAfterMs: null })
}

function errorFrom(response: FetchResponse, text: string): ApiError {
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
  if (cause instanceof ConnectionError) return cause
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new ConnectionError(`The gateway could not be reached: ${reason}`, cause)
}
