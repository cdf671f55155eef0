/** An upstream that always answers well, and can keep its streams open. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenOnLoopback } from '../../packages/server/testing/loopback-server.ts'

export interface SteadyUpstream {
  /** Base address, ending in `/v1`. */
  readonly url: string
  /** From now on streams stay open, with one chunk in each interval, until they are released. */
  hold(intervalMs: number): void
  /** Ends all open streams in order. */
  release(): void
  close(): Promise<void>
}

/** Thousands of connections come at once. */
const BACKLOG = 4_096
const CHUNKS = 10
const CHUNK_MS = 20
const ENVELOPE = '"id":"gen-1","created":1795813200,"model":"stub-model"'
const USAGE = '"usage":{"prompt_tokens":20,"completion_tokens":10,"total_tokens":30,"cost":0.0001}'
const COMPLETION =
  `{${ENVELOPE},"object":"chat.completion","choices":[{"index":0,"finish_reason":"stop",` +
  `"message":{"role":"assistant","content":"Hello there"}}],${USAGE}}`

function chunk(delta: string, finishReason = 'null'): string {
  const choices = `[{"index":0,"delta":{${delta}},"finish_reason":${finishReason}}]`
  return `data: {${ENVELOPE},"object":"chat.completion.chunk","choices":${choices}}\n\n`
}

const WORD = chunk('"content":"word "')
const LAST = `data: {${ENVELOPE},"object":"chat.completion.chunk","choices":[],${USAGE}}\n\n`
const END = `${chunk('', '"stop"')}${LAST}data: [DONE]\n\n`

function streamAll(response: ServerResponse): void {
  let sent = 0
  const timer = setInterval(() => {
    if (response.destroyed) return clearInterval(timer)
    if (sent++ < CHUNKS) return void response.write(WORD)
    clearInterval(timer)
    response.end(END)
  }, CHUNK_MS)
}

async function isStream(request: IncomingMessage): Promise<boolean> {
  let text = ''
  for await (const part of request.setEncoding('utf8')) text += String(part)
  return text.includes('"stream":true')
}

/** Starts it. */
export async function startSteadyUpstream(): Promise<SteadyUpstream> {
  let intervalMs: number | null = null
  const held = new Set<ServerResponse>()
  const timers = new Set<NodeJS.Timeout>()
  const keep = (response: ServerResponse, every: number): void => {
    held.add(response)
    response.write(WORD)
    const timer = setInterval(() => response.write(WORD), every)
    timers.add(timer)
    response.once('close', () => {
      held.delete(response)
      clearInterval(timer)
      timers.delete(timer)
    })
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return void response.writeHead(404).end('{}')
    if (!(await isStream(request))) {
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(COMPLETION)
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (intervalMs === null) streamAll(response)
    else keep(response, intervalMs)
  }
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    response.on('error', () => undefined)
    answer(request, response).catch(() => void response.destroy())
  })
  const { origin, close } = await listenOnLoopback(server, BACKLOG)
  return {
    url: `${origin}/v1`,
    close,
    hold: (every) => {
      intervalMs = every
    },
    release: () => {
      for (const timer of timers) clearInterval(timer)
      for (const response of held) response.end(END)
    },
  }
}
