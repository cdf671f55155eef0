/** Idempotency-Key on requests for media: one call upstream, one charge, the same answer, for JSON, forms and bytes. */
import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { makeWav } from '../packages/server/testing/make-wav.ts'
import { onImages, IMAGE, sendImages, streamImage } from '../packages/server/testing/stub-images.ts'
import type { StubCall } from '../packages/server/testing/stub-upstream.ts'
import type { TestGateway } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import {
  type AudioStub,
  audioStubOf,
  CHARACTER,
  SECOND,
  sendAudio,
  audioOf,
  SPEECH,
  WHISPER,
} from './audio-upstream.ts'
import { chargeOf } from './charge-of.ts'
import { errorOf } from './error-of.ts'
import { QUESTION } from './events-of.ts'
import { useVideoGateway, VIDEO_MODEL, type VideoGateway } from './video-gateway.ts'
import { eventually } from '../packages/server/testing/eventually.ts'

const IMAGE_MODEL = 'x-ai/grok-imagine-image-2.0'

const stub = useStubUpstream()
const gateway = useGateway(() => ({ upstreamUrl: stub.url, credits: '1000000' }))
let audio: AudioStub
let calls: StubCall[]

beforeEach(() => {
  audio = audioStubOf(stub)
})

function answerImages(handler: Parameters<typeof onImages>[0]): void {
  const images = onImages(handler)
  calls = images.calls
  stub.onOther = images.handle
}

type Sent = object | FormData

/** Each test has names of its own. */
let names = 0
const freshName = (): string => `name-${++names}`

function post(at: Pick<TestGateway, 'fetch'>, path: string, body: Sent, name: string): Promise<Response> {
  const isForm = body instanceof FormData
  const headers = { 'idempotency-key': name, ...(isForm ? {} : { 'content-type': 'application/json' }) }
  return at.fetch(path, { method: 'POST', headers, body: isForm ? body : JSON.stringify(body) })
}

interface Read {
  readonly status: number
  readonly replayed: string | null
  readonly headers: readonly (string | null)[]
  readonly hash: string
}

const TOLD = ['x-request-id', 'content-type', 'cache-control', 'x-svc-credits-charged', 'x-svc-estimated'] as const

const KEEP_ALIVE = Buffer.from(': keep-alive\n\n')

async function read(response: Response): Promise<Read> {
  const bytes = Buffer.from(await response.arrayBuffer())
  // A sign of life may come before the first event; it is none, and is not given again.
  const isAlive = bytes.subarray(0, KEEP_ALIVE.length).equals(KEEP_ALIVE)
  return {
    status: response.status,
    replayed: response.headers.get('idempotent-replayed'),
    headers: [...TOLD, 'openai-poll-after-ms', 'x-svc-margin-bps'].map((name) => response.headers.get(name)),
    hash: createHash('sha256')
      .update(bytes.subarray(isAlive ? KEEP_ALIVE.length : 0))
      .digest('hex'),
  }
}

/** Sends the same twice. `make` makes the body anew, as a client does that builds its form anew. */
async function twice(at: TestGateway | VideoGateway, path: string, make: () => Sent): Promise<Read> {
  const name = freshName()
  const first = await read(await post(at, path, make(), name))
  const second = await read(await post(at, path, make(), name))
  expect([first.replayed, second]).toEqual([null, { ...first, replayed: 'true' }])
  return first
}

async function refusal(at: TestGateway | VideoGateway, path: string, body: Sent, name: string) {
  const response = await post(at, path, body, name)
  return [response.status, (await errorOf(response)).code]
}

function imageForm(image = IMAGE): FormData {
  const form = new FormData()
  form.append('model', IMAGE_MODEL)
  form.append('prompt', 'Make it red')
  const bytes = new Uint8Array(Buffer.from(image, 'base64'))
  form.append('image', new File([bytes], 'a.png', { type: 'image/png' }))
  return form
}

describe('images', () => {
  const request = { model: IMAGE_MODEL, prompt: 'A lighthouse' }

  test.each([
    ['JSON', '/v1/images/generations', () => request],
    ['JSON in the other form', '/v1/images', () => request],
    ['a form', '/v1/images/edits', () => imageForm()],
  ])('asked for twice by %s are made and charged once', async (_kind, path, make) => {
    answerImages((_call, response) => sendImages(response))
    const { charge } = await chargeOf(gateway, () => twice(gateway, path, make))
    expect([calls.length, charge]).toEqual([1, 48_000_000_000n])
  })

  test('streamed twice are made and charged once, with every event', async () => {
    answerImages((_call, response) => streamImage(response))
    const { result, charge } = await chargeOf(gateway, () =>
      twice(gateway, '/v1/images/generations', () => ({ ...request, stream: true, partial_images: 2 })),
    )
    expect(result.headers[1]).toContain('text/event-stream')
    expect([calls.length, charge]).toEqual([1, 48_000_000_000n])
  })

  test('of another form under the same name are refused', async () => {
    answerImages((_call, response) => sendImages(response))
    const name = freshName()
    expect((await read(await post(gateway, '/v1/images/edits', imageForm(), name))).status).toBe(200)
    const other = imageForm(Buffer.from('another image').toString('base64'))
    expect(await refusal(gateway, '/v1/images/edits', other, name)).toEqual([422, 'idempotency_key_reused'])
    expect(calls).toHaveLength(1)
  })

  test.each([false, true])(
    'too large to be kept are reported as gone, and never made again (stream: %s)',
    async (stream) => {
      const image = Buffer.from(IMAGE, 'base64')
      const large = Buffer.concat([image, Buffer.alloc(1_048_576)]).toString('base64')
      answerImages((_call, response) => sendImages(response, { data: [{ b64_json: large, media_type: 'image/png' }] }))
      const name = freshName()
      const body = { ...request, stream }
      const { charge } = await chargeOf(gateway, async () => {
        expect((await read(await post(gateway, '/v1/images/generations', body, name))).status).toBe(200)
        expect(await refusal(gateway, '/v1/images/generations', body, name)).toEqual([409, 'idempotency_answer_gone'])
      })
      expect([calls.length, charge]).toEqual([1, 48_000_000_000n])
    },
  )

  test('that failed may be asked for again under the same name', async () => {
    answerImages((_call, response) => void response.writeHead(500).end('{"error":{"message":"boom"}}'))
    const name = freshName()
    for (const path of ['/v1/images/generations', '/v1/images']) {
      expect((await read(await post(gateway, path, request, name))).status).toBe(502)
    }
    answerImages((_call, response) => sendImages(response))
    expect((await read(await post(gateway, '/v1/images/generations', request, name))).replayed).toBeNull()
    expect(calls).toHaveLength(1)
  })
})

describe('audio', () => {
  const request = { model: SPEECH, input: 'Hello there.', voice: 'nova' }

  test.each([
    ['bytes', {}],
    ['events', { stream_format: 'sse' }],
  ])('spoken twice as %s is made and charged once', async (_kind, more) => {
    const speech = audioOf(300_000)
    audio.onSpeech = (_call, response) => sendAudio(response, speech)
    const { charge } = await chargeOf(gateway, () =>
      twice(gateway, '/v1/audio/speech', () => ({ ...request, ...more })),
    )
    expect([audio.speeches.length, charge]).toEqual([1, 12n * CHARACTER])
  })

  test.each([
    ['bytes', {}],
    ['events', { stream_format: 'sse' }],
  ])('too long to be kept as %s is reported as gone', async (_kind, more) => {
    audio.onSpeech = (_call, response) => sendAudio(response, audioOf(1_000_000))
    const name = freshName()
    expect((await read(await post(gateway, '/v1/audio/speech', { ...request, ...more }, name))).status).toBe(200)
    const again = await refusal(gateway, '/v1/audio/speech', { ...request, ...more }, name)
    expect([again, audio.speeches.length]).toEqual([[409, 'idempotency_answer_gone'], 1])
  })

  test('that broke off was charged in part, and is reported as gone', async () => {
    audio.onSpeech = (_call, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' })
      response.write(audioOf(50_000))
      setTimeout(() => response.destroy(), 20)
    }
    const name = freshName()
    const broken = await post(gateway, '/v1/audio/speech', request, name)
    await expect(broken.arrayBuffer()).rejects.toThrow(/terminated/)
    await eventually(async () => {
      expect(await refusal(gateway, '/v1/audio/speech', request, name)).toEqual([409, 'idempotency_answer_gone'])
    })
    expect(audio.speeches).toHaveLength(1)
  })

  const wav = (seconds: number): FormData => {
    const form = new FormData()
    form.append('file', new File([new Uint8Array(makeWav(44 + seconds * 8_000))], 'voice.wav', { type: 'audio/wav' }))
    form.append('model', WHISPER)
    return form
  }

  test.each([
    ['whole', {}],
    ['as text', { response_format: 'text' }],
    ['in pieces', { stream: 'true' }],
  ])('written down twice %s is heard and charged once', async (_kind, more) => {
    const make = (): FormData => {
      const form = wav(3)
      for (const [field, value] of Object.entries(more)) form.append(field, value)
      return form
    }
    const { charge } = await chargeOf(gateway, () => twice(gateway, '/v1/audio/transcriptions', make))
    expect([audio.transcriptions.length, charge]).toEqual([1, 3n * SECOND])
  })

  test('of another length under the same name is refused', async () => {
    const name = freshName()
    expect((await read(await post(gateway, '/v1/audio/transcriptions', wav(3), name))).status).toBe(200)
    const other = await refusal(gateway, '/v1/audio/transcriptions', wav(4), name)
    expect(other).toEqual([422, 'idempotency_key_reused'])
  })
})

describe('videos', () => {
  const videos = useVideoGateway({ credits: '100000' })

  const request = { model: VIDEO_MODEL, prompt: 'A paper boat.', duration: 4 }
  const form = (): FormData => {
    const sent = new FormData()
    for (const [name, value] of Object.entries({ model: VIDEO_MODEL, prompt: 'A paper boat.', seconds: '4' })) {
      sent.append(name, value)
    }
    const image = new Uint8Array(Buffer.from(IMAGE, 'base64'))
    sent.append('input_reference', new File([image], 'a.png', { type: 'image/png' }))
    return sent
  }

  test.each<[string, string, () => Sent]>([
    ['JSON', '/v1/videos/generations', () => request],
    ['JSON at the other address', '/v1/videos', () => request],
    ['a form', '/v1/videos', form],
  ])('submitted twice by %s are one job with one hold', async (_kind, path, make) => {
    const before = { held: (await videos.balance()).held, jobs: videos.stub.jobs.length }
    const { status } = await twice(videos, path, make)
    expect(status).toBeLessThan(300)
    expect(videos.stub.jobs.length - before.jobs).toBe(1)
    expect((await videos.balance()).held - before.held).toBe(240_000_000_000n)
  })

  test('of another form under the same name are refused', async () => {
    const name = freshName()
    expect((await post(videos, '/v1/videos', form(), name)).status).toBeLessThan(300)
    const other = form()
    other.set('prompt', 'A paper plane.')
    expect(await refusal(videos, '/v1/videos', other, name)).toEqual([422, 'idempotency_key_reused'])
  })
})

describe('a request that finds no free slot', () => {
  const narrow = useGateway(() => ({ upstreamUrl: stub.url, file: { limits: { streams_at_once: 1 } } }))

  test.each([
    ['a chat', '/v1/chat/completions', { ...QUESTION, stream: true }, '[DONE]'],
    ['a completion', '/v1/completions', { model: QUESTION.model, prompt: 'Hi', max_tokens: 9, stream: true }, '[DONE]'],
    ['a response', '/v1/responses', { model: QUESTION.model, input: 'Hi', store: false, stream: true }, 'completed'],
    [
      'a message',
      '/v1/messages',
      { model: QUESTION.model, messages: QUESTION.messages, max_tokens: 9, stream: true },
      'stop',
    ],
  ])('gives the name of %s back', async (form, path, body, end) => {
    const gate = Promise.withResolvers<void>()
    const [answer] = [stub.onChat]
    stub.onChat = async (call, response) => {
      await gate.promise
      await answer(call, response)
    }
    const before = stub.chats.length
    const first = narrow.chat({ ...QUESTION, stream: true })
    await eventually(() => expect(stub.chats.length).toBeGreaterThan(before))
    const send = (): Promise<Response> => post(narrow, path, body, form.replace(' ', '-'))
    expect((await send()).status).toBe(429)
    gate.resolve()
    await (await first).text()
    const again = await send()
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, null])
    expect(await again.text()).toContain(end)
    stub.onChat = answer
  })
})
