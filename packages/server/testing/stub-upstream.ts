/**
 * The one upstream of tests and proofs, which does what a script says: a real HTTP server, so that the real adapter
 * talks to it. Scripts answer with what is here and in `scripted-answer.ts`.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { listenOnLoopback, type LoopbackServer } from './loopback-server.ts'
import { EVENTS_TYPE, frame, JSON_TYPE } from './scripted-answer.ts'

/** One request as the upstream saw it. */
export interface StubCall {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The body's exact bytes. */
  readonly body: Buffer
  /** The body's exact text. */
  readonly text: string
  /** The body parsed; null when it is no JSON object. */
  readonly json: Record<string, unknown> | null
  /** Whether it asks for a stream, in whichever dialect. */
  readonly wantsStream: boolean
  /** Resolves when the gateway has closed the connection or the answer is out. */
  readonly closed: Promise<void>
}

export type StubHandler = (call: StubCall, response: ServerResponse) => void | Promise<void>

export interface StubUpstream {
  /** Scheme, host and port. */
  readonly origin: string
  /** Base address, ending in `/v1`. */
  readonly url: string
  /** Chat requests so far, in the order of their arrival. */
  readonly chats: StubCall[]
  /** Answers `POST /chat/completions`. Replace it at any time. */
  onChat: StubHandler
  /** Answers everything else; 404 by default. */
  onOther: StubHandler
  readonly close: () => Promise<void>
}

/** A stub that can be told how to answer before it listens. It has no address until then. */
interface StubToStart extends StubUpstream {
  listen(): Promise<void>
}

export interface StubUsage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly [key: string]: unknown
}

export interface CompletionOptions {
  readonly text?: string | null
  /** Null leaves it out. */
  readonly usage?: StubUsage | null
  /** JSON text, so that every digit is sent. */
  readonly cost?: string | undefined
  readonly message?: Record<string, unknown>
  readonly finishReason?: string
  /** Other members of the answer, such as its id. */
  readonly more?: object
}

/** The text of a number in JSON among the rest of the usage. */
function withCost(body: string, cost: string | undefined): string {
  return cost === undefined ? body : body.replace(/"usage":\{/, `"usage":{"cost":${cost},`)
}

/** A whole completion as JSON text. */
export function completionText(options: CompletionOptions = {}): string {
  const { text = 'Hello', usage = { prompt_tokens: 10, completion_tokens: 5 }, cost, message = {} } = options
  const { finishReason = 'stop', more = {} } = options
  const body = JSON.stringify({
    id: 'chatcmpl-stub',
    object: 'chat.completion',
    created: 1_795_813_200,
    model: 'stub-model',
    provider: 'Stub',
    ...more,
    choices: [{ index: 0, finish_reason: finishReason, message: { role: 'assistant', content: text, ...message } }],
    ...(usage === null ? {} : { usage: { total_tokens: usage.prompt_tokens + usage.completion_tokens, ...usage } }),
  })
  return withCost(body, cost)
}

/** Answers with a whole completion. */
export function sendCompletion(response: ServerResponse, options: CompletionOptions = {}): void {
  response.writeHead(200, JSON_TYPE).end(completionText(options))
}

/** A chunk of a stream as JSON text. */
export function chunkText(
  delta: Record<string, unknown>,
  finishReason: string | null = null,
  more: object = {},
): string {
  return JSON.stringify({
    id: 'chatcmpl-stub',
    object: 'chat.completion.chunk',
    created: 1_795_813_200,
    model: 'stub-model',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
    ...more,
  })
}

/** The chunk that carries usage alone. `cost` is JSON text. */
export function usageText(usage: StubUsage, cost?: string, more: object = {}): string {
  const body = JSON.stringify({ id: 'chatcmpl-stub', object: 'chat.completion.chunk', choices: [], usage, ...more })
  return withCost(body, cost)
}

/** Begins an event stream. */
export function beginStream(response: ServerResponse, headers: Record<string, string> = {}): void {
  response.writeHead(200, { ...EVENTS_TYPE, ...headers })
  response.flushHeaders()
}

/** Sends one event. */
export function sendEvent(response: ServerResponse, data: string): void {
  response.write(frame(data))
}

/** Streams a whole answer, word by word, with usage and `[DONE]`. */
export function sendStream(
  response: ServerResponse,
  options: { readonly words?: readonly string[]; readonly usage?: StubUsage | null; readonly cost?: string } = {},
): void {
  const { words = ['Hello', ' world'], usage = { prompt_tokens: 10, completion_tokens: 5 }, cost } = options
  beginStream(response)
  sendEvent(response, chunkText({ role: 'assistant', content: '' }))
  for (const word of words) sendEvent(response, chunkText({ content: word }))
  sendEvent(response, chunkText({}, 'stop'))
  if (usage !== null) sendEvent(response, usageText(usage, cost))
  sendEvent(response, '[DONE]')
  response.end()
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null
  } catch {
    return null
  }
}

/** Whether a form has the field `stream` set. */
const STREAM_FIELD = /name="stream"\s+true/

export interface StubOptions {
  /** Answers every request, chats among them. */
  readonly handler?: StubHandler
  /** Connections that may wait to be accepted. */
  readonly backlog?: number
}

/** Makes a stub that answers every chat with a short completion or stream, until the test says otherwise. */
export function createStubUpstream({ handler, backlog }: StubOptions = {}): StubToStart {
  const chats: StubCall[] = []
  let place: LoopbackServer | null = null
  const getPlace = (): LoopbackServer => {
    if (place === null) throw new Error('the stub does not listen yet: its address is known in hooks and tests')
    return place
  }
  const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    const chunks: Buffer[] = []
    // A gateway that is killed while it sends leaves half a question, which is none.
    for (const stream of [request, response]) stream.on('error', () => undefined)
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const text = body.toString('utf8')
      const { method = '', url: path = '', headers } = request
      const json = parse(text)
      const call: StubCall = {
        ...{ method, path, headers, body, text, json },
        wantsStream:
          json?.['stream'] === true || path.includes('alt=sse') || (json === null && STREAM_FIELD.test(text)),
        closed: new Promise((resolve) => response.once('close', () => resolve())),
      }
      const isChat = method === 'POST' && path.endsWith('/chat/completions')
      if (isChat) chats.push(call)
      void (isChat ? stub.onChat : stub.onOther)(call, response)
    })
  })
  const stub: StubToStart = {
    get origin() {
      return getPlace().origin
    },
    get url() {
      return `${getPlace().origin}/v1`
    },
    chats,
    onChat: handler ?? ((call, response) => (call.wantsStream ? sendStream(response) : sendCompletion(response))),
    onOther: handler ?? ((_call, response) => void response.writeHead(404).end()),
    async listen() {
      place = await listenOnLoopback(server, backlog)
    },
    close: () => getPlace().close(),
  }
  return stub
}

/** Starts such a stub. */
export async function startStubUpstream(options: StubOptions = {}): Promise<StubUpstream> {
  const stub = createStubUpstream(options)
  await stub.listen()
  return stub
}
