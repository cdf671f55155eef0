/** No field of a request makes an upstream do more than is held for, whatever the server behind the address reads. */
import type { ServerResponse } from 'node:http'
import { beforeEach, describe, expect, test } from 'vitest'
import { sendCompletion, sendStream, type StubCall } from '../packages/server/testing/stub-upstream.ts'
import { startTestGateway } from '../packages/server/testing/test-gateway.ts'
import { useGatewayPerTest } from '../packages/server/testing/use-gateway.ts'
import { refusalOf } from './error-of.ts'
import { makerFile, useMediaStub, WAV } from './media-upstream.ts'

const upstream = useMediaStub()
beforeEach(() => {
  upstream.reset()
  upstream.stub.chats.length = 0
  made = 0
  upstream.stub.onChat = llama
})
const gateway = useGatewayPerTest(() => ({
  credits: '30',
  // A credit is a thousandth of a dollar: a token of output costs 0.012 credits.
  file: makerFile(upstream.url, { input: '0', output: '10' }),
}))

let made = 0

/** What a llama.cpp server makes of a request: its own name of the limit wins, and so does its own name of `n`. */
function llama({ json }: StubCall, response: ServerResponse): void {
  const { n_predict, max_completion_tokens, max_tokens, n_cmpl, n } = json ?? {}
  const tokens = Number(n_predict ?? max_completion_tokens ?? max_tokens ?? 60_000) * Number(n_cmpl ?? n ?? 1)
  made += tokens
  const usage = { prompt_tokens: 1, completion_tokens: tokens }
  if (json?.['stream'] === true) sendStream(response, { usage })
  else sendCompletion(response, { usage })
}

const post = (path: string, body: object): Promise<Response> =>
  gateway.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const messages = [{ role: 'user', content: 'Hello' }]
const CREDIT = 1_000_000_000n

/** Each form of a chat, with a limit of ten tokens. */
const FORMS: readonly (readonly [string, string, object])[] = [
  ['a chat', '/v1/chat/completions', { model: 'talks', messages, max_tokens: 10 }],
  ['a streamed chat', '/v1/chat/completions', { model: 'talks', messages, max_tokens: 10, stream: true }],
  ['a response', '/v1/responses', { model: 'talks', input: 'Hello', store: false, max_output_tokens: 10 }],
  ['a message', '/v1/messages', { model: 'talks', messages, max_tokens: 10 }],
]

describe.each(FORMS)('%s', (_form, path, body) => {
  test('ninety at once with a hidden limit make no more than they pay for', async () => {
    const answers = await Promise.all(
      Array.from({ length: 90 }, async () => {
        const response = await post(path, { ...body, n_predict: 50_000, options: { num_predict: '5e4' } })
        await response.text()
        return response.status
      }),
    )
    await gateway.settled()
    expect(new Set(answers)).toEqual(new Set([200]))
    expect(made).toBe(900)
    const { posted } = await gateway.balance()
    expect(30n * CREDIT - posted).toBe(900n * 12_000_000n)
    for (const { json } of upstream.stub.chats)
      expect(json).toMatchObject({ n_predict: 10, options: { num_predict: 10 } })
  })

  test('what would multiply the work is refused by name, and nothing is asked or held', async () => {
    for (const [name, value] of Object.entries({ n_cmpl: 50, best_of: 20, use_beam_search: true, lora: [{ id: 1 }] })) {
      const response = await post(path, { ...body, [name]: value })
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(name)])
    }
    expect(upstream.stub.chats).toEqual([])
    expect((await gateway.balance()).held).toBe(0n)
  })

  test('what changes no price goes on', async () => {
    const harmless = { repeat_last_n: 4096, num_ctx: 131_072, truncate_prompt_tokens: 9_000, min_tokens: 5 }
    const response = await post(path, { ...body, ...harmless })
    await response.text()
    expect(response.status).toBe(200)
    expect(upstream.stub.chats.at(-1)?.json).toMatchObject(harmless)
  })
})

test('where the balance is the limiter, every name of the limit gets what it pays for', async () => {
  const response = await post('/v1/chat/completions', {
    model: 'talks',
    messages,
    n_predict: -1,
    max_new_tokens: 60_000,
  })
  await response.text()
  const sent = upstream.stub.chats.at(-1)?.json
  const limit = Number(sent?.['max_tokens'])
  expect(response.status).toBe(200)
  expect(limit).toBeLessThan(3_000)
  expect(sent).toMatchObject({ n_predict: limit, max_new_tokens: limit })
  await gateway.settled()
  const { posted } = await gateway.balance()
  expect(30n * CREDIT - posted).toBe(BigInt(made) * 12_000_000n)
})

test('where the balance is the limiter, a field that asks for more than it pays for is refused, and nothing is held', async () => {
  const response = await post('/v1/chat/completions', { model: 'talks', messages, max_reply_tokens: 30_000 })
  expect(await refusalOf(response)).toBe('400 unsupported_parameter max_reply_tokens')
  expect((await gateway.balance()).held).toBe(0n)
  expect(upstream.stub.chats).toEqual([])
})

test('a rich account’s answer that is made to run on gets the limit that is held for', async () => {
  const rich = await startTestGateway({ upstreamUrl: upstream.url, credits: '1000000000' })
  const model = 'anthropic/claude-opus-5'
  await (await rich.chat({ model, messages, ignore_eos: true })).text()
  expect(upstream.stub.chats.at(-1)?.json).toMatchObject({ max_tokens: 128_000, ignore_eos: true })
  await (await rich.chat({ model, messages, n_predict: -1 })).text()
  expect(upstream.stub.chats.at(-1)?.json).toMatchObject({ max_tokens: 128_000, n_predict: 128_000 })
  await (await rich.chat({ model, messages, repeat_last_n: 64 })).text()
  expect(upstream.stub.chats.at(-1)?.json).not.toHaveProperty('max_tokens')
  await rich.stop()
})

test('thoughts beside the limit are held for', async () => {
  let held = 0n
  upstream.stub.onChat = async (_call, response) => {
    held = (await gateway.balance()).held
    sendCompletion(response, { usage: { prompt_tokens: 1, completion_tokens: 15 } })
  }
  await (
    await post('/v1/chat/completions', { model: 'talks', messages, max_tokens: 10, thinking_budget: 50_000 })
  ).text()
  expect(held).toBe(20n * 12_000_000n)
  expect(upstream.stub.chats.at(-1)?.json).toMatchObject({ max_tokens: 10, thinking_budget: 10 })
})

describe('media', () => {
  const form = (fields: Readonly<Record<string, string>>): Promise<Response> => {
    const body = new FormData()
    body.append('file', new File([new Uint8Array(WAV)], 'a.wav', { type: 'audio/wav' }))
    for (const [name, value] of Object.entries({ model: 'hears', ...fields })) body.append(name, value)
    return gateway.fetch('/v1/audio/transcriptions', { method: 'POST', body })
  }
  const paint = (more: object) => post('/v1/images/generations', { model: 'paints', prompt: 'A boat', ...more })
  const speak = (more: object) => post('/v1/audio/speech', { model: 'speaks', input: 'Hi', voice: 'nova', ...more })
  const embed = (more: object) => post('/v1/embeddings', { model: 'talks', input: 'Hi', ...more })

  test.each<[string, () => Promise<Response>]>([
    ['steps', () => paint({ steps: 50 })],
    ['width', () => paint({ width: 4096, height: 4096 })],
    ['result_image_count', () => paint({ result_image_count: 4 })],
    ['n', () => speak({ n: 5 })],
    ['text', () => speak({ text: 'A much longer text than the one that is paid for.' })],
    ['ignore_eos', () => speak({ ignore_eos: true })],
    ['messages', () => embed({ messages })],
    ['inputs', () => embed({ inputs: ['a', 'b'] })],
    ['url', () => form({ url: 'https://example.com/a-long-audio.mp3' })],
    ['beam_size', () => form({ beam_size: '50' })],
    ['n', () => form({ n: '5' })],
    ['lora', () => speak({ lora: [{ id: 1 }] })],
  ])('%s is refused by name, and nothing is asked', async (param, ask) => {
    expect(await refusalOf(await ask())).toBe(`400 unsupported_parameter ${param}`)
    expect(upstream.calls).toEqual([])
  })

  test('another name of the count of images is left out', async () => {
    const response = await paint({ n: 2, num_images: 9, batch_size: 4, guidance_scale: 3.5 })
    expect(response.status).toBe(200)
    expect(upstream.calls.at(-1)?.json).toMatchObject({ n: 2, guidance_scale: 3.5 })
    expect(upstream.calls.at(-1)?.json).not.toHaveProperty('num_images')
    expect(upstream.calls.at(-1)?.json).not.toHaveProperty('batch_size')
  })

  test('a limit of audio is bounded by what the text can need, and harmless fields go on', async () => {
    const response = await speak({ max_new_tokens: 1_000_000, sample_rate: 48_000 })
    await response.arrayBuffer()
    expect(response.status).toBe(200)
    expect(upstream.calls.at(-1)?.json).toMatchObject({ max_new_tokens: 2_112, sample_rate: 48_000 })
  })

  test('a video is made of what is held for alone', async () => {
    const response = await post('/v1/videos/generations', {
      ...{ model: 'films', prompt: 'A boat.', duration: 2 },
      ...{ num_videos: 9, steps: 500, fps: 240, n_predict: 50_000 },
    })
    expect(response.status).toBe(200)
    expect(Object.keys(upstream.calls.at(-1)?.json ?? {}).sort()).toEqual(['model', 'prompt', 'seconds'])
    const { id } = (await response.json()) as { id: string }
    expect((await gateway.fetch(`/v1/videos/${id}`)).status).toBe(200)
  })
})
