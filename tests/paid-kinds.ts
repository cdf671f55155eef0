/** Every kind of request that is paid for, and an upstream that does the work of each until a test says otherwise. */
import type { ServerResponse } from 'node:http'
import type { ConfigFile } from '../packages/server/src/config/config-file.ts'
import {
  sendCompletion,
  sendStream,
  type StubCall,
  type StubHandler,
} from '../packages/server/testing/stub-upstream.ts'
import type { TestGateway } from '../packages/server/testing/test-gateway.ts'
import { IMAGE } from '../packages/server/testing/stub-images.ts'
import { sendJson } from './audio-upstream.ts'
import { KINDS as MEDIA, type MediaStub, useMediaStub, work as makeMedia } from './media-upstream.ts'

/** USD that an upstream says it bills for a request whose answer no client pays, and nanocredits of it. */
export const BILLED_USD = '0.05'
export const BILLED = 50_000_000_000n

/** USD that an upstream may say that an answer has cost: far more than any bound of these requests. */
const DEAR_USD = '900'
/** The same in nanocredits. */
export const DEAR = 900_000_000_000_000n

export interface PaidKind {
  readonly name: string
  readonly path: string
  /** Sends one request and reads its answer. */
  readonly ask: (gateway: TestGateway, more: AskOptions) => Promise<Asked>
  /** Answers with nothing in it, and with a cost. Null where an upstream of this kind cannot report a cost. */
  readonly emptyAndBilled: StubHandler | null
  /**
   * Does the work, and says that it cost `DEAR_USD`. Null where no upstream of this kind reports a cost that is charged.
   */
  readonly dear: StubHandler | null
  /** The same request as it is quoted. @param model in place of its own. */
  readonly quoted: (model?: string) => { readonly endpoint: string; readonly body: object }
  /** Whether an answer can be cut: less of it is made where less is paid for. */
  readonly isDivisible: boolean
}

export interface AskOptions {
  readonly key?: string
  readonly model?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Further members of a JSON body, or others in their place. */
  readonly more?: object
}

export interface Asked {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The code of the error, whatever wire form it has; null without one. */
  readonly code: string | null
}

const usage = { prompt_tokens: 10, completion_tokens: 0 }

const emptyChat: StubHandler = (call, response) =>
  call.json?.['stream'] === true
    ? sendStream(response, { words: [], usage, cost: BILLED_USD })
    : sendCompletion(response, { text: '', usage, cost: BILLED_USD })

const dearChat: StubHandler = (call, response) =>
  call.json?.['stream'] === true
    ? sendStream(response, { cost: DEAR_USD })
    : sendCompletion(response, { cost: DEAR_USD })

const dearJson =
  (body: object): StubHandler =>
  (_call, response) =>
    sendJson(response, { ...body, usage: { ...usage, total_tokens: 10, cost: Number(DEAR_USD) } })

const emptyJson =
  (body: object): StubHandler =>
  (_call, response) =>
    sendJson(response, { ...body, usage: { ...usage, cost: Number(BILLED_USD) } })

/** The code in an answer of any form: JSON or events, of OpenAI or of Anthropic. */
function codeIn(text: string): string | null {
  for (const [, data = ''] of [['', text], ...text.matchAll(/^data: (\{.*\})$/gm)]) {
    try {
      const value = JSON.parse(data) as { error?: { code?: unknown }; response?: { error?: { code?: unknown } } }
      const code = value.error?.code ?? value.response?.error?.code
      if (typeof code === 'string') return code
    } catch {
      // Audio, or a part of a stream that is no JSON.
    }
  }
  return null
}

async function askedOf(response: Response): Promise<Asked> {
  // An audio file whose end is missing breaks off.
  const text = await response.text().catch(() => 'broken off')
  return { status: response.status, headers: response.headers, text, code: codeIn(text) }
}

const json = (path: string, usual: string, body: object): Pick<PaidKind, 'ask' | 'quoted' | 'path'> => ({
  path,
  quoted: (model = usual) => ({ endpoint: path, body: { model, ...body } }),
  ask: async (gateway, { key, headers, model = usual, more = {} }) =>
    askedOf(
      await gateway.fetch(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ model, ...body, ...more }),
        ...(key === undefined ? {} : { key }),
      }),
    ),
})

const messages = { messages: [{ role: 'user', content: 'Say hello.' }] }

const chat = (name: string, path: string, body: object): PaidKind => ({
  ...{ name, emptyAndBilled: emptyChat, dear: dearChat, isDivisible: true },
  ...json(path, 'talks', body),
})

const CHATS: readonly PaidKind[] = [
  chat('a chat', '/v1/chat/completions', { ...messages, max_tokens: 50 }),
  chat('a streamed chat', '/v1/chat/completions', { ...messages, max_tokens: 50, stream: true }),
  chat('a text completion', '/v1/completions', { prompt: 'Say hello.', max_tokens: 50 }),
  chat('a streamed text completion', '/v1/completions', { prompt: 'Say hello.', max_tokens: 50, stream: true }),
  chat('a response', '/v1/responses', { input: 'Say hello.', max_output_tokens: 50 }),
  chat('a streamed response', '/v1/responses', { input: 'Say hello.', max_output_tokens: 50, stream: true }),
  chat('a message', '/v1/messages', { ...messages, max_tokens: 50 }),
  chat('a streamed message', '/v1/messages', { ...messages, max_tokens: 50, stream: true }),
]

const VECTORS = { object: 'list', data: [{ object: 'embedding', index: 0, embedding: [0.25, -0.5, 1] }] }
const RANKING = { results: [1, 0].map((index) => ({ index, relevance_score: index / 2 })) }
const VERDICT = {
  results: [{ flagged: false, categories: { violence: false }, category_scores: { violence: 0.01 } }],
}

const EMBEDDINGS: PaidKind = {
  name: 'embeddings',
  ...json('/v1/embeddings', 'embeds', { input: 'Hello' }),
  emptyAndBilled: emptyJson({ object: 'list', data: [] }),
  ...{ dear: dearJson(VECTORS), isDivisible: false },
}

const ranking = (name: string, path: string): PaidKind => ({
  name,
  ...json(path, 'ranks', { query: 'fruit', documents: ['A car.', 'A pear.'] }),
  emptyAndBilled: emptyJson({ results: [] }),
  ...{ dear: dearJson(RANKING), isDivisible: false },
})

const RANKINGS: readonly PaidKind[] = [
  ranking('a ranking', '/v1/rerank'),
  ranking("a ranking in Cohere's second form", '/v2/rerank'),
]

const MODERATION: PaidKind = {
  name: 'a moderation',
  ...json('/v1/moderations', 'moderates', { input: 'Hello' }),
  emptyAndBilled: emptyJson({ results: [] }),
  ...{ dear: dearJson(VERDICT), isDivisible: false },
}

/** A job that fails and is billed: its cost is read when it is polled. */
const BILLED_JOB = 'job-billed'

/** What a kind of media answers with when it has made nothing and bills it. */
const EMPTY_MEDIA: Readonly<Record<string, StubHandler | null>> = {
  images: emptyJson({ created: 1, data: [] }),
  'streamed images': (_call, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`data: {"type":"error","error":{"message":"no"},"usage":{"cost":${BILLED_USD}}}\n\n`)
  },
  'changed images': emptyJson({ created: 1, data: [null] }),
  // An audio file has no room for a cost.
  speech: null,
  'speech in events': null,
  // An audio file without speech has an empty transcript.
  transcripts: null,
  'streamed transcripts': null,
  translations: null,
  videos: (_call, response) => sendJson(response, { id: BILLED_JOB, object: 'video', status: 'queued' }),
}

/** A job that completes and costs far more than it was bounded by. */
const DEAR_JOB = 'job-dear'

const dearImages: StubHandler = dearJson({ created: 1, data: [{ b64_json: IMAGE }] })

/** What a kind of media answers with when it says that its work was dear. */
const DEAR_MEDIA: Readonly<Record<string, StubHandler | null>> = {
  images: dearImages,
  'changed images': dearImages,
  'streamed images': (_call, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const made = { type: 'image_generation.completed', b64_json: IMAGE, usage: { cost: Number(DEAR_USD) } }
    response.end(`data: ${JSON.stringify(made)}\n\n`)
  },
  videos: (_call, response) => sendJson(response, { id: DEAR_JOB, object: 'video', status: 'queued' }),
}

/** Pages of the media's kinds take no key, so theirs is set for each call. */
const MEDIA_KINDS: readonly PaidKind[] = MEDIA.map(({ name, model: usual, ask, quoted }) => ({
  ...{ name, path: name },
  ...{ emptyAndBilled: EMPTY_MEDIA[name] ?? null, dear: DEAR_MEDIA[name] ?? null, isDivisible: false },
  quoted: (model = usual) => quoted(model),
  ask: async (gateway, options) => {
    let own: Headers | null = null
    const withOptions = async (path: string, init: RequestInit = {}): Promise<Response> => {
      const response = await gateway.fetch(path, {
        ...init,
        headers: { ...(init.headers as Record<string, string> | undefined), ...options.headers },
        ...(options.key === undefined ? {} : { key: options.key }),
      })
      // A job is polled once it was submitted: the headers are those of the submission.
      own ??= response.headers
      return response
    }
    const answer = await ask({ ...gateway, fetch: withOptions }, options.model ?? usual)
    return { ...answer, headers: own ?? answer.headers, code: codeIn(answer.text) }
  },
}))

export const PAID_KINDS: readonly PaidKind[] = [...CHATS, EMBEDDINGS, ...RANKINGS, MODERATION, ...MEDIA_KINDS]

const works: StubHandler = (call, response) => {
  if (call.path.endsWith('/chat/completions')) return talk(call, response)
  if (call.path.endsWith('/rerank')) return sendJson(response, { ...RANKING, usage: { total_tokens: 9 } })
  if (call.path.endsWith('/moderations')) return sendJson(response, { ...VERDICT, usage: { total_tokens: 9 } })
  if (!call.path.endsWith('/embeddings')) return makeMedia(call, response)
  return sendJson(response, { ...VECTORS, usage: { prompt_tokens: 7, total_tokens: 7 } })
}

const talk = (call: StubCall, response: ServerResponse): void =>
  call.wantsStream ? sendStream(response) : sendCompletion(response)

/** Registers the hooks of an upstream of every kind of work. Its jobs fail, so that none stays open behind its test. */
export function usePaidStub(): MediaStub {
  const jobOf = (id: string): object => {
    if (id === DEAR_JOB) return { status: 'completed', progress: 100, usage: { cost: Number(DEAR_USD) } }
    return {
      ...{ status: 'failed', error: { message: 'no' } },
      ...(id === BILLED_JOB ? { usage: { cost: Number(BILLED_USD) } } : {}),
    }
  }
  return useMediaStub({ works, jobOf })
}

/** Prices of every kind at two upstreams: at the first, and ten times as dear at the second. */
export function paidRoutes(): NonNullable<ConfigFile['routes']> {
  const tokens = (usd: string) => ({ price: { input: usd, output: usd } }) as const
  const media = (price: object) => ({ media_price: price }) as never
  const both = (model: string, at: (usd: string) => object) => ({
    [model]: {
      targets: [
        { upstream: 'first', model, ...at('0.01') },
        { upstream: 'second', model, ...at('0.1') },
      ],
    },
  })
  return {
    ...both('talks', tokens),
    ...both('embeds', tokens),
    ...both('ranks', tokens),
    ...both('moderates', tokens),
    ...both('paints', (usd) => media({ type: 'image', per_image: usd })),
    ...both('speaks', (usd) => media({ type: 'speech', per_character: usd })),
    ...both('hears', (usd) => media({ type: 'transcription', per_second: usd })),
    ...both('films', (usd) => media({ type: 'video', per_second: usd })),
  }
}
