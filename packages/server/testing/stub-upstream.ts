/** An OpenAI-shaped upstream that does what a test says: a real HTTP server, so that the real adapter talks to it. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'

/** One request as the upstream saw it. */
export interface StubCall {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The body's exact bytes. */
  readonly body: Buffer
  /** The body's exact text. */
  readonly text: string
  /** The body parsed; null when it is empty or no JSON. */
  readonly json: Record<string, unknown> | null
  /** Resolves when the gateway has closed the connection or the answer is out. */
  readonly closed: Promise<void>
}

export type StubHandler = (call: StubCall, response: ServerResponse) => void | Promise<void>

export interface StubUpstream {
  /** Base address, ending in `/v1`. */
  readonly url: string
  /** Chat requests so far, in the order of their arrival. */
  readonly chats: StubCall[]
  /** Answers `POST /chat/completions`. Replace it at any time. */
  onChat: StubHandler
  /** Answers everything else; 404 by default. */
  onOther: StubHandler
  close(): Promise<void>
}

export interface StubUsage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly [key: string]: unknown
}

/** Answers with a whole completion. `usage` null leaves it out; `cost` is JSON text, so that every digit is sent. */
export function sendCompletion(
  response: ServerResponse,
  options: {
    readonly text?: string | null
    readonly usage?: StubUsage | null
    readonly cost?: string
    readonly message?: Record<string, unknown>
    readonly finishReason?: string
  } = {},
): void {
  const { text = 'Hello', usage = { prompt_tokens: 10, completion_tokens: 5 }, cost, message = {} } = options
  const { finishReason = 'stop' } = options
  const body = JSON.stringify({
    id: 'chatcmpl-stub',
    object: 'chat.completion',
    created: 1_795_813_200,
    model: 'stub-model',
    provider: 'Stub',
    choices: [{ index: 0, finish_reason: finishReason, message: { role: 'assistant', content: text, ...message } }],
    ...(usage === null ? {} : { usage: { total_tokens: usage.prompt_tokens + usage.completion_tokens, ...usage } }),
  })
  const text_ = cost === undefined ? body : body.replace(/"usage":\{/, `"usage":{"cost":${cost},`)
  response.writeHead(200, { 'content-type': 'application/json' }).end(text_)
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
export function usageText(usage: StubUsage, cost?: string): string {
  const body = JSON.stringify({ id: 'chatcmpl-stub', object: 'chat.completion.chunk', choices: [], usage })
  return cost === undefined ? body : body.replace(/"usage":\{/, `"usage":{"cost":${cost},`)
}

/** Begins an event stream. */
export function beginStream(response: ServerResponse, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers })
  response.flushHeaders()
}

/** Sends one event. */
export function sendEvent(response: ServerResponse, data: string): void {
  response.write(`data: ${data}\n\n`)
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
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return null
  }
}

/** Starts a stub that answers every chat with a short completion or stream until a test says otherwise. */
export async function startStubUpstream(): Promise<StubUpstream> {
  const stub: { -readonly [Key in keyof StubUpstream]: StubUpstream[Key] } = {
    url: '',
    chats: [],
    onChat: (call, response) => (call.json?.['stream'] === true ? sendStream(response) : sendCompletion(response)),
    onOther: (_call, response) => void response.writeHead(404).end(),
    close: () => Promise.resolve(),
  }
  const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const text = body.toString('utf8')
      const call: StubCall = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body,
        text,
        json: parse(text),
        closed: new Promise((resolve) => response.once('close', () => resolve())),
      }
      const isChat = request.method === 'POST' && (request.url ?? '').endsWith('/chat/completions')
      if (isChat) stub.chats.push(call)
      void (isChat ? stub.onChat : stub.onOther)(call, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  stub.url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/v1`
  stub.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return stub
}
