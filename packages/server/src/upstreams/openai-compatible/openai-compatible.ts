/**
 * The adapter for every server that speaks OpenAI's chat completions; others that speak a dialect of it build on this
 * one.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { textStart } from '../../platform/json/json-body.ts'
import { parseJsonText } from '../../platform/json/parse-json.ts'
import type { LateCost } from '../../pricing/price.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import type {
  ChatStream,
  ChatStreamSink,
  ChatUpstream,
  UpstreamChatRequest,
  UpstreamCompletion,
} from '../chat-upstream.ts'
import { type CollectedResponse, collectResponse, type Exchange } from '../http-exchange.ts'
import type { UpstreamClient } from '../upstream-client.ts'
import { transportFailure, UpstreamFailure, upstreamFailure } from '../upstream-failure.ts'
import { ERROR_BYTES_MAX } from './answer-bytes.ts'
import { receiveAnswer } from './chat-answer.ts'
import { type ChatWire, DONE, type WireFrames } from './chat-wire.ts'
import { ChatStreamReader } from './chat-stream.ts'
import { readCompletion } from './completion.ts'
import type { Dialect } from './dialect.ts'
import { chatFailure, failedChoice, findError, retryAfterSeconds } from './errors.ts'
import { fetchJson } from './fetch-json.ts'
import { firstEvent } from './first-event.ts'
import { offersFunctions, withFunctionCall, withToolCall } from './function-call.ts'
import { gatherEvents } from './gather-events.ts'
import { createLearnedParts, type LearnedParts } from './learned-parts.ts'
import { NOTHING_LEFT_OUT } from './learned-refusals.ts'
import { partedChat, partsNamedIn, reasoningNameIn, type ReasoningName } from './optional-parts.ts'
import { type Attempt, sentBody, sentChat } from './sent-chat.ts'
import { takesSuffix, textWayOf } from './text-completions.ts'
import { writeCalls } from './tool-calls.ts'
import { idInHeaders, isObject, readGenerationId, readUsage } from './usage.ts'

export interface OpenAiCompatibleOptions {
  readonly name: string
  readonly client: UpstreamClient
  readonly dialect: Dialect
  /** For an upstream whose chats are not written as OpenAI's; absent: they are. */
  readonly wire?: ChatWire
  readonly clock: Clock
  /** Looks a cost up; null where the upstream has no such thing. */
  readonly findCost: ((generationId: string) => Promise<LateCost | null>) | null
  /** What its models are known to refuse, whichever key asks; absent: nothing yet, and nobody else learns of it. */
  readonly learned?: LearnedParts | undefined
}

interface Deps extends OpenAiCompatibleOptions, Pick<LearnedParts, 'reasoningNames'> {
  readonly learned: LearnedParts
}

type Json = Readonly<Record<string, unknown>>

function readAnswer({ wire }: Deps, text: Buffer): unknown {
  return wire === undefined ? parseJsonText(text) : wire.readAnswer(text)
}

function generationIdOf(deps: Deps, headers: IncomingHttpHeaders): string | null {
  return idInHeaders(deps.dialect.generationId?.header ?? null, headers)
}

/** @param from.body the whole answer, parsed; `value` is the part of it that holds the error. */
function failureOf(
  deps: Deps,
  response: CollectedResponse,
  value: unknown,
  { body, generationId }: { readonly body: unknown; readonly generationId: string | null },
): UpstreamFailure {
  const { usage = null, cost = null } = isObject(body) ? (readUsage(body, () => response.body, deps.dialect) ?? {}) : {}
  return chatFailure({
    upstream: deps.name,
    value,
    status: response.status,
    retryAfterSeconds: retryAfterSeconds(response.headers, deps.clock.now()),
    apiKey: deps.client.apiKey,
    failuresAreFree: deps.dialect.failuresAreFree,
    ...{ cost, usage: deps.dialect.failuresAreFree ? null : usage, generationId },
    names: response.status === 200 ? [] : partsNamedIn(response.body),
  })
}

/** A document as an answer, and the failure that it is otherwise. */
function readDocument(deps: Deps, response: CollectedResponse): Record<string, unknown> | UpstreamFailure {
  const value = readAnswer(deps, response.body) ?? firstEvent(response.body)
  const failed = response.status !== 200 || findError(value) !== null || !isObject(value)
  if (failed)
    return failureOf(deps, response, value, { body: value, generationId: generationIdOf(deps, response.headers) })
  if (deps.wire === undefined) writeCalls(value, () => response.body.toString('utf8', textStart(response.body)))
  const choice = failedChoice(value)
  return choice === null ? value : failureOf(deps, response, choice, { body: value, generationId: null })
}

/** An answer that is neither one nor an error: what it says that it cost is kept. */
function brokenAnswer(deps: Deps, { status, headers, body }: CollectedResponse, value: Json): UpstreamFailure {
  const { usage = null, cost = null } = readUsage(value, () => body, deps.dialect) ?? {}
  const generationId = generationIdOf(deps, headers) ?? readGenerationId(value, deps.dialect.generationId)
  return upstreamFailure('broken', { upstream: deps.name, status, usage, cost, generationId })
}

function openReader(
  deps: Deps,
  request: UpstreamChatRequest,
  answer: { readonly sink: ChatStreamSink; readonly headers: IncomingHttpHeaders; readonly onOver: () => void },
): ChatStreamReader {
  return new ChatStreamReader(answer.sink, {
    upstream: deps.name,
    apiKey: deps.client.apiKey,
    generationId: generationIdOf(deps, answer.headers),
    dialect: deps.dialect,
    readFrames: openFrames(deps, request),
    offersFunctions: offersFunctions(request),
    choices: choicesOf(request),
    stops: stopsOf(request),
    onOver: answer.onOver,
    onReasoning: (name) => noteReasoning(deps, request, name),
  })
}

/** Reads the events of an API of its own; null for one that sends chunks itself. */
function openFrames({ wire }: Deps, request: UpstreamChatRequest): ((data: string) => WireFrames) | null {
  const read = wire?.openEvents() ?? null
  if (read === null || !offersFunctions(request)) return read
  return (data) => read(data).map((frame) => (frame === DONE ? frame : withFunctionCall(frame)))
}

/** A whole answer with its calls in the form in which they were offered. */
function inFormOf({ wire }: Deps, request: UpstreamChatRequest, read: Json): Json {
  if (!offersFunctions(request)) return withToolCall(read)
  return wire === undefined ? read : withFunctionCall(read)
}

/** Models whose name for reasoning is remembered. Source: own choice. */
const NAMES_MAX = 1_000

function noteReasoning({ reasoningNames }: Deps, { upstreamModel }: UpstreamChatRequest, name: ReasoningName): void {
  if (name === null) return
  if (reasoningNames.size < NAMES_MAX || reasoningNames.has(upstreamModel)) reasoningNames.set(upstreamModel, name)
}

/** How many choices a request asks for. */
function choicesOf({ body }: UpstreamChatRequest): number {
  const { n } = body.value
  return typeof n === 'number' && n > 1 ? n : 1
}

/** Its stop sequences. */
function stopsOf({ body }: UpstreamChatRequest): readonly string[] {
  const { stop } = body.value
  return (Array.isArray(stop) ? stop : [stop]).filter((each) => typeof each === 'string')
}

const OVER = 'The answer is over'

function complete(deps: Deps, attempt: Attempt): Promise<UpstreamCompletion> {
  const { request } = attempt
  const { promise, resolve, reject } = Promise.withResolvers<UpstreamCompletion>()
  const { signal } = request
  let reader: ChatStreamReader | null = null
  let generationId: string | null = null
  const onAbort = (): void => {
    // At once: an exchange that still waits for its connection hears of the abort only then.
    if (reader === null) reject(signal.reason as Error)
    else reader.fail(signal.reason as Error)
    exchange.abort(signal.reason as Error)
  }
  const exchange: Exchange = receiveAnswer(deps.client.dispatcher, sentChat(deps, attempt), {
    started: (_status, headers) => {
      generationId = generationIdOf(deps, headers)
    },
    events: (headers) => {
      const sink = gatherEvents({ ...deps, stops: stopsOf(request) }, () => exchange, { resolve, reject })
      reader = openReader(deps, request, { sink, headers, onOver: () => exchange.abort(new Error(OVER)) })
      return reader
    },
    document: (response) => {
      const read = readDocument(deps, response)
      if (read instanceof UpstreamFailure) return reject(read)
      const value = inFormOf(deps, request, read)
      const completion = readCompletion(response.body, value, generationId, {
        ...deps.dialect,
        stops: stopsOf(request),
      })
      if (completion === null) return reject(brokenAnswer(deps, response, value))
      if (completion.hasReasoning) noteReasoning(deps, request, reasoningNameIn(value))
      resolve(completion)
    },
    failed: (error) => reject(transportFailure(deps.name, error, generationId)),
  })
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort)
  return promise.finally(() => signal.removeEventListener('abort', onAbort))
}

async function countPrompt(
  deps: Deps,
  request: UpstreamChatRequest,
  count: NonNullable<ChatWire['count']>,
): Promise<number | null> {
  const sent = sentBody(deps, request, count.write(request))
  const limits = { signal: request.signal, bytesMax: ERROR_BYTES_MAX }
  const response = await collectResponse(deps.client.dispatcher, sent, limits)
  const value = response.status === 200 ? parseJsonText(response.body) : null
  const tokens = isObject(value) ? value[count.field] : null
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : null
}

function stream(deps: Deps, attempt: Attempt, sink: ChatStreamSink): Promise<ChatStream> {
  const { request } = attempt
  const { promise, resolve, reject } = Promise.withResolvers<ChatStream>()
  let reader: ChatStreamReader | null = null
  const onAbort = (): void => exchange.abort(request.signal.reason as Error)
  const finish = (): void => request.signal.removeEventListener('abort', onAbort)
  const told: ChatStreamSink = {
    chunk: (members, facts) => sink.chunk(members, facts),
    end: (outcome) => {
      finish()
      sink.end(outcome)
    },
  }
  const exchange: Exchange = receiveAnswer(deps.client.dispatcher, sentChat(deps, attempt), {
    started: (status, headers) => {
      if (status !== 200) return
      reader = openReader(deps, request, { sink: told, headers, onOver: () => exchange.abort(new Error(OVER)) })
      resolve(streamOf(exchange, reader))
    },
    events: () => reader as ChatStreamReader,
    document: (response) => {
      finish()
      const value = readDocument(deps, response)
      if (reader === null) return reject(value as UpstreamFailure)
      if (value instanceof UpstreamFailure) return reader.refuse(value)
      const isAnswer = Array.isArray(value['choices']) && value['choices'].some(isObject)
      if (isAnswer) reader.whole(value, response.body)
      else reader.refuse(brokenAnswer(deps, response, value))
    },
    failed: (error) => {
      finish()
      reader?.fail(error)
      reject(transportFailure(deps.name, error))
    },
  })
  if (request.signal.aborted) onAbort()
  else request.signal.addEventListener('abort', onAbort)
  return promise
}

function streamOf(exchange: Exchange, reader: ChatStreamReader): ChatStream {
  return {
    generationId: () => reader.generationId,
    pause: () => {
      exchange.pause()
      reader.paused()
    },
    resume: () => {
      exchange.resume()
      reader.resumed()
    },
    stop: () => exchange.abort(new Error('The stream is stopped')),
  }
}

/** Asks without what the model refuses. Another API gets nothing of ours. */
function ask<Answer>(
  { wire, dialect, learned }: Deps,
  request: UpstreamChatRequest,
  attempt: (attempt: Attempt) => Promise<Answer>,
): Promise<Answer> {
  if (wire !== undefined) return attempt({ request, left: NOTHING_LEFT_OUT })
  const known = textWayOf(dialect, request) === null ? learned.chats : learned.texts
  return known.ask(partedChat(request), (left) => attempt({ request, left }))
}

/** The longest that a model list may take, in milliseconds. Source: own choice. */
const LIST_MS = 30_000

/** Builds the adapter. */
export function createOpenAiCompatible(options: OpenAiCompatibleOptions): ChatUpstream {
  const count = options.wire?.count ?? null
  const learned = options.learned ?? createLearnedParts()
  const deps: Deps = { ...options, learned, reasoningNames: learned.reasoningNames }
  return {
    name: options.name,
    supportsChoices: options.dialect.supportsChoices,
    takesSuffix: (model) => takesSuffix(options.dialect, model),
    complete: (request) => ask(deps, request, (attempt) => complete(deps, attempt)),
    stream: (request, sink) => ask(deps, request, (attempt) => stream(deps, attempt, sink)),
    countPrompt: count === null ? null : (request) => countPrompt(deps, request, count),
    findCost: options.findCost ?? (() => Promise.resolve(null)),
    listModels: async () => {
      const list = await fetchJson(options.client, options.name, { path: '/models', timeoutMs: LIST_MS })
      return list?.value ?? null
    },
    close: () => options.client.close(),
  }
}
