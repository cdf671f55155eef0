/** An upstream that makes every kind of media until a test says otherwise, and requests for each kind. */
import type { ServerResponse } from 'node:http'
import type { ConfigFile } from '../packages/server/src/config/config-file.ts'
import { makeWav, WAV_HEADER_BYTES } from '../packages/server/testing/make-wav.ts'
import { IMAGE } from '../packages/server/testing/stub-images.ts'
import type { StubCall, StubHandler, StubUpstream } from '../packages/server/testing/stub-upstream.ts'
import { VIDEO_START } from '../packages/server/testing/stub-video-upstream.ts'
import type { TestGateway } from '../packages/server/testing/test-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { sendJson, sendAudio, audioOf } from './audio-upstream.ts'

export interface MediaStub {
  readonly stub: StubUpstream
  readonly url: string
  /** Requests for work so far; looks at jobs are none. */
  readonly calls: StubCall[]
  /** Jobs that were polled, by their ids. */
  readonly polls: string[]
  /** Answers requests for work. */
  onWork: StubHandler
  /** Makes everything again, and forgets the calls. */
  reset(): void
}

/** Answers as a server of OpenAI's form that works. */
export const work: StubHandler = (call, response) => {
  if (call.path.endsWith('/audio/speech')) return sendAudio(response, audioOf(1_000))
  if (call.path.includes('/audio/trans')) return sendTranscript(call, response)
  if (call.path.endsWith('/videos')) return sendJson(response, { id: 'job-1', object: 'video', status: 'queued' })
  if (call.json?.['stream'] !== true) {
    const count = Number(call.json?.['n'] ?? 1)
    return sendJson(response, { created: 1, data: Array.from({ length: count }, () => ({ b64_json: IMAGE })) })
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(`data: {"type":"image_generation.partial_image","b64_json":"${IMAGE}"}\n\n`)
  response.end(`data: {"type":"image_generation.completed","b64_json":"${IMAGE}"}\n\n`)
}

function sendTranscript(call: StubCall, response: ServerResponse): void {
  if (!call.body.includes('name="stream"')) return sendJson(response, { text: 'Hello.', usage: { seconds: 3 } })
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write('data: {"type":"transcript.text.delta","delta":"Hello."}\n\n')
  response.end('data: {"type":"transcript.text.done","text":"Hello."}\n\n')
}

/** What an upstream of media does until the test says otherwise. */
export interface MediaWork {
  /** Answers requests for work, chats among them. */
  readonly works: StubHandler
  /** What a poll of a job answers, beside its id. */
  readonly jobOf: (id: string) => object
}

/** Registers the hooks of one: it makes media, and its jobs complete, unless it does other work. */
export function useMediaStub(other?: MediaWork): MediaStub {
  const { works, jobOf } = other ?? { works: work, jobOf: () => ({ status: 'completed', progress: 100 }) }
  const stub = useStubUpstream()
  const media: MediaStub = {
    ...{ stub, calls: [], polls: [], onWork: works },
    get url() {
      return stub.url
    },
    reset() {
      media.calls.length = 0
      media.polls.length = 0
      media.onWork = works
    },
  }
  stub.onOther = (call, response) => {
    if (call.method === 'POST') {
      media.calls.push(call)
      return media.onWork(call, response)
    }
    if (call.path.endsWith('/content'))
      return void response.writeHead(200, { 'content-type': 'video/mp4' }).end(VIDEO_START)
    const [, id] = /\/videos\/([^/]+)$/.exec(call.path) ?? []
    if (id === undefined) return void response.writeHead(404).end()
    media.polls.push(id)
    return sendJson(response, { id, object: 'video', ...jobOf(id) })
  }
  if (other !== undefined) stub.onChat = stub.onOther
  return media
}

/** Three seconds of silence. */
export const WAV = makeWav(WAV_HEADER_BYTES + 3 * 8_000)

/** One kind of request for media. */
export interface MediaKind {
  readonly name: string
  /** The model that makes it, by the configuration below. */
  readonly model: string
  /** Sends one request, its body read. */
  readonly ask: (gateway: TestGateway, model: string) => Promise<Answered>
  /** The same request as it is quoted. */
  readonly quoted: (model: string) => { readonly endpoint: string; readonly body: object }
  /** Nanocredits of one request at the dear price; the cheap one is a tenth of it. */
  readonly dear: bigint
}

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** What each kind costs, by the unit, in USD. */
export const CHEAP = '0.01'
export const DEAR = '0.1'
export const mediaPrices = (usd: string) =>
  ({
    paints: { type: 'image', per_image: usd },
    speaks: { type: 'speech', per_character: usd },
    hears: { type: 'transcription', per_second: usd },
    films: { type: 'video', per_second: usd },
  }) as const

/** What a configuration names: one upstream that makes each kind at the cheap price, and talks at this one. */
export function makerFile(url: string, price: { readonly input: string; readonly output: string }): ConfigFile {
  const media = Object.entries(mediaPrices(CHEAP)).map(([model, media_price]) => [
    model,
    { targets: [{ upstream: 'maker', model, media_price }] },
  ])
  return {
    upstreams: [{ name: 'maker', kind: 'openai-compatible', url }],
    routes: { ...Object.fromEntries(media), talks: { targets: [{ upstream: 'maker', model: 'm', price }] } },
  }
}

const JSON_HEADERS = { 'content-type': 'application/json' }

async function answered(response: Response): Promise<Answered> {
  // An audio file whose end is missing breaks off.
  const text = await response.text().catch(() => 'broken off')
  return { status: response.status, headers: response.headers, text }
}

const json =
  (path: string, body: object): MediaKind['ask'] =>
  async (gateway, model) =>
    answered(
      await gateway.fetch(path, { method: 'POST', headers: JSON_HEADERS, body: JSON.stringify({ model, ...body }) }),
    )

const form =
  (path: string, fields: Readonly<Record<string, string | File>>): MediaKind['ask'] =>
  async (gateway, model) => {
    const body = new FormData()
    for (const [name, value] of Object.entries({ model, ...fields })) body.append(name, value)
    return answered(await gateway.fetch(path, { method: 'POST', body }))
  }

/** Submits a video, and asks after it once where it was taken. */
async function film(gateway: TestGateway, model: string): Promise<Answered> {
  const submit = json('/v1/videos/generations', FILM)
  const submitted = await submit(gateway, model)
  if (submitted.status !== 200) return submitted
  return answered(await gateway.fetch(`/v1/videos/${String(JSON.parse(submitted.text).id)}`))
}

const FILM = { prompt: 'A boat.', duration: 4 } as const
const audio = new File([new Uint8Array(WAV)], 'a.wav', { type: 'audio/wav' })
const image = new File([new Uint8Array(Buffer.from(IMAGE, 'base64'))], 'a.png', { type: 'image/png' })
const IMAGES = { prompt: 'A lighthouse' } as const
const TEXT = { input: 'Hello.', voice: 'nova' } as const

const quoted =
  (endpoint: string, body: object): MediaKind['quoted'] =>
  (model) => ({ endpoint, body: { model, ...body } })

const given = { images: [{ image_url: `data:image/png;base64,${IMAGE}` }] }

/** Nanocredits of so many USD with the margin. */
const charge = (milliUsd: bigint): bigint => (milliUsd * 1_000_000_000n * 12n) / 10n

export const KINDS: readonly MediaKind[] = [
  {
    ...{ name: 'images', model: 'paints', dear: charge(100n) },
    ask: json('/v1/images/generations', IMAGES),
    quoted: quoted('/v1/images/generations', IMAGES),
  },
  {
    ...{ name: 'streamed images', model: 'paints', dear: charge(100n) },
    ask: json('/v1/images/generations', { ...IMAGES, stream: true, partial_images: 1 }),
    quoted: quoted('/v1/images/generations', IMAGES),
  },
  {
    ...{ name: 'changed images', model: 'paints', dear: charge(100n) },
    ask: form('/v1/images/edits', { ...IMAGES, image }),
    quoted: quoted('/v1/images/edits', { ...IMAGES, ...given }),
  },
  {
    ...{ name: 'speech', model: 'speaks', dear: charge(600n) },
    ask: json('/v1/audio/speech', TEXT),
    quoted: quoted('/v1/audio/speech', TEXT),
  },
  {
    ...{ name: 'speech in events', model: 'speaks', dear: charge(600n) },
    ask: json('/v1/audio/speech', { ...TEXT, stream_format: 'sse' }),
    quoted: quoted('/v1/audio/speech', { ...TEXT, stream_format: 'sse' }),
  },
  {
    ...{ name: 'transcripts', model: 'hears', dear: charge(300n) },
    ask: form('/v1/audio/transcriptions', { file: audio }),
    quoted: quoted('/v1/audio/transcriptions', { seconds: 3 }),
  },
  {
    ...{ name: 'streamed transcripts', model: 'hears', dear: charge(300n) },
    ask: form('/v1/audio/transcriptions', { file: audio, stream: 'true' }),
    quoted: quoted('/v1/audio/transcriptions', { seconds: 2.4, stream: true }),
  },
  {
    ...{ name: 'translations', model: 'hears', dear: charge(300n) },
    ask: form('/v1/audio/translations', { file: audio }),
    quoted: quoted('/v1/audio/translations', { seconds: 3 }),
  },
  { name: 'videos', model: 'films', ask: film, quoted: quoted('/v1/videos', FILM), dear: charge(400n) },
]
