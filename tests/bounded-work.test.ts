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
  ['a text completion', '/v1/completions', { model: 'talks', prompt: 'Hello', max_tokens: 10 }],
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

/** A value within objects, by its path. */
function nested(path: string, value: unknown): object {
  return path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object
}

const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }
const flat = { name: 'f', input_schema: { type: 'object' } }

describe('a tool that an upstream would run is refused by name, and nothing is asked or held', () => {
  const talk = (more: object) => post('/v1/chat/completions', { model: 'talks', messages, max_tokens: 10, ...more })
  const respond = (more: object) => post('/v1/responses', { model: 'talks', input: 'Hello', store: false, ...more })
  const message = (more: object) => post('/v1/messages', { model: 'talks', messages, max_tokens: 10, ...more })

  test.each<[string, () => Promise<Response>]>([
    ['tools.0.type', () => talk({ tools: [{ type: 'web_search' }] })],
    ['tools.0.type', () => talk({ tools: [{ googleSearch: {} }] })],
    ['tools.0.type', () => talk({ tools: [{ google_search: {} }] })],
    ['tools.1.type', () => talk({ tools: [tool, { web_search: {} }] })],
    ['tools.0.type', () => talk({ tools: [{ type: null, code_execution: {} }] })],
    ['tools.0.type', () => talk({ tools: [{}] })],
    ['tools.0.web_search', () => talk({ tools: [{ ...tool, web_search: { enable: true } }] })],
    ['tools.0.web_search', () => talk({ tools: [{ ...tool, web_search: true }] })],
    ['tools.0.googleSearch', () => talk({ tools: [{ function: tool.function, googleSearch: {} }] })],
    ['tools.0.urlContext', () => talk({ tools: [{ type: 'custom', custom: { name: 'f' }, urlContext: {} }] })],
    ['tools.0.new_hosted_tool', () => talk({ tools: [{ ...tool, new_hosted_tool: {} }] })],
    ['tools.0.retrieval', () => talk({ tools: [{ ...tool, retrieval: { knowledge_id: 'x' } }] })],
    ['options.tools', () => talk({ options: { tools: [{ googleSearch: {} }] } })],
    ['tools.0.type', () => message({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] })],
  ])('%s', async (param, ask) => {
    const response = await ask()
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: 'unsupported_parameter', param } })
    expect(upstream.stub.chats).toEqual([])
    expect((await gateway.balance()).held).toBe(0n)
  })

  test('in the Responses form, where it is left out, no word of it goes on', async () => {
    const own = { type: 'function', name: 'f', parameters: {}, web_search: {} }
    const tools = [own, { type: 'custom', name: 'g', googleSearch: {} }, { type: 'web_search' }]
    expect((await respond({ tools })).status).toBe(200)
    expect(upstream.stub.chats[0]?.text).not.toMatch(/search/i)
  })

  test('in the Messages form, where a field of a tool is ignored, no word of it goes on', async () => {
    const tools = [
      { ...flat, web_search: { enable: true } },
      { ...flat, name: 'g', googleSearch: {} },
    ]
    expect((await message({ tools })).status).toBe(200)
    expect(upstream.stub.chats[0]?.text).not.toMatch(/search/i)
  })

  test('a key that a tool has twice is refused', async () => {
    const tools = '[{"type":"web_search","function":{"name":"f"},"type":"function"}]'
    const response = await gateway.fetch('/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"model":"talks","messages":${JSON.stringify(messages)},"max_tokens":10,"tools":${tools}}`,
    })
    expect(await refusalOf(response)).toBe('400 invalid_value tools.0.type')
    expect(upstream.stub.chats).toEqual([])
  })

  test('a tool of one’s own goes on as it came', async () => {
    const tools = [
      { ...tool, strict: true, cache_control: { type: 'ephemeral' }, web_search: null },
      { function: tool.function, metadata: { team: 'x' }, version: '1' },
      { type: 'custom', custom: { name: 'c' } },
      { type: 'function', name: 'flat', parameters: { type: 'object' } },
    ]
    const response = await talk({ tools })
    await response.text()
    expect(response.status).toBe(200)
    expect(upstream.stub.chats.at(-1)?.json?.['tools']).toEqual(tools)
  })
})

describe('a field that makes each token dearer is refused by name', () => {
  test.each<[string, unknown]>([
    ['speed', 'fast'],
    ['inference_geo', 'us'],
    ['performanceConfig', { latency: 'optimized' }],
    ['guardrailConfig', { guardrailIdentifier: 'g' }],
    ['data_sources', [{ type: 'azure_search', parameters: {} }]],
    ['enhancements', { ocr: { enabled: true } }],
  ])('%s', async (param, value) => {
    const response = await post('/v1/chat/completions', { model: 'talks', messages, max_tokens: 10, [param]: value })
    expect(await refusalOf(response)).toBe(`400 unsupported_parameter ${param}`)
    expect(upstream.stub.chats).toEqual([])
  })

  test('but for the values that cost what is usual', async () => {
    const usual = { speed: 'standard', inference_geo: 'global', service_tier: 'standard_only', data_sources: [] }
    const response = await post('/v1/chat/completions', { model: 'talks', messages, max_tokens: 10, ...usual })
    await response.text()
    expect([response.status, upstream.stub.chats.at(-1)?.json]).toEqual([200, expect.objectContaining(usual)])
  })
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
    ...['input.num_outputs', 'parameters.sampleCount', 'options.num_images', 'options.batch_size', 'config.n'].map(
      (path): [string, () => Promise<Response>] => [path, () => paint(nested(path, 10))],
    ),
    ...['options.resolution', 'parameters.size', 'options.quality', 'image_config.image_size', 'a.b.quality'].map(
      (path): [string, () => Promise<Response>] => [path, () => paint(nested(path, '4K'))],
    ),
    ['input.prompt', () => paint(nested('input.prompt', 'Another prompt'))],
    ['prompts', () => paint({ prompts: ['A boat', 'A tree'] })],
    ['options.input', () => speak(nested('options.input', 'A much longer text'))],
    ['parameters.n', () => speak(nested('parameters.n', 5))],
    ['parameters.speed', () => speak(nested('parameters.speed', 0.01))],
    ['options.input', () => embed(nested('options.input', ['a', 'b']))],
    ['parameters.inputs', () => embed(nested('parameters.inputs', ['a', 'b']))],
    ['options.url', () => form({ 'options[url]': 'https://example.com/a-long-audio.mp3' })],
    ['options.url', () => form({ options: '{"url":"https://example.com/a-long-audio.mp3"}' })],
    ['parameters.n', () => form({ 'parameters[n]': '5' })],
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

  test('what an edit is made of and how often is refused within its form, too', async () => {
    const edit = (fields: Readonly<Record<string, string>>): Promise<Response> => {
      const body = new FormData()
      body.append('image', new File(['an image'], 'a.png', { type: 'image/png' }))
      for (const [name, value] of Object.entries({ model: 'paints', prompt: 'A boat', ...fields }))
        body.append(name, value)
      return gateway.fetch('/v1/images/edits', { method: 'POST', body })
    }
    expect(await refusalOf(await edit({ 'options[num_images]': '10' }))).toBe(
      '400 unsupported_parameter options.num_images',
    )
    expect(await refusalOf(await edit({ parameters: '{"size":"4096x4096"}' }))).toBe(
      '400 unsupported_parameter parameters.size',
    )
    expect(upstream.calls).toEqual([])
    expect((await edit({ 'n[]': '10', notes: '{"mood":"calm"}' })).status).toBe(200)
    expect(upstream.calls.at(-1)?.body.toString('latin1')).not.toContain('n[]')
  })

  test('one image asked for within an object is the one that is paid for', async () => {
    expect((await paint({ parameters: { sampleCount: 1, seed: 7 } })).status).toBe(200)
    expect(upstream.calls.at(-1)?.json).toMatchObject({ n: 1, parameters: { sampleCount: 1, seed: 7 } })
  })

  test('a limit of audio is bounded by what the text can need, and harmless fields go on', async () => {
    const response = await speak({ max_new_tokens: 1_000_000, sample_rate: 48_000, options: { speed: 1 } })
    await response.arrayBuffer()
    expect(response.status).toBe(200)
    expect(upstream.calls.at(-1)?.json).toMatchObject({ max_new_tokens: 2_112, sample_rate: 48_000 })
  })

  test('a video is made of what is held for alone', async () => {
    const response = await post('/v1/videos/generations', {
      ...{ model: 'films', prompt: 'A boat.', duration: 2 },
      ...{ num_videos: 9, steps: 500, fps: 240, n_predict: 50_000 },
      ...{ parameters: { durationSeconds: 60, sampleCount: 4, resolution: '4k' }, options: { n: 4, duration: 60 } },
    })
    expect(response.status).toBe(200)
    expect(Object.keys(upstream.calls.at(-1)?.json ?? {}).sort()).toEqual(['model', 'prompt', 'seconds'])
    const { id } = (await response.json()) as { id: string }
    expect((await gateway.fetch(`/v1/videos/${id}`)).status).toBe(200)
  })
})
