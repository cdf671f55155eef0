/** What OpenRouter's SDKs and programs ask for. The SDK itself is tried before a release; its schemas demand what is here. */
import { nanocreditsOf, openRouterCredits, openRouterGeneration, openRouterKey } from '@svc/contract'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  beginStream,
  chunkText,
  sendCompletion,
  sendEvent,
  sendStream,
} from '../packages/server/testing/stub-upstream.ts'
import { rawRequest } from '../packages/server/testing/raw-request.ts'
import { startTestGateway } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { chargeOf, lastRecord, nanocreditsIn } from './charge-of.ts'
import { readStream } from './events-of.ts'

const stub = useStubUpstream()
const gateway = useGateway(() => ({ upstreamUrl: stub.url, credits: '1000' }))
beforeEach(() => {
  stub.chats.length = 0
  stub.onChat = (call, response) => (call.wantsStream ? sendStream(response) : sendCompletion(response))
})

const sdk = { 'user-agent': 'speakeasy-sdk/typescript 1.3.19 2.914.0 1.0.0 @openrouter/sdk' }
const hello = { model: 'svc-gpt', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] }
type Headers = Readonly<Record<string, string>>

const ask = (more: object, headers: Headers = sdk): Promise<Response> =>
  gateway.fetch('/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...hello, ...more }),
  })
const read = async (path: string, headers: Headers = {}) => {
  const answer = await gateway.fetch(path, { headers })
  return { status: answer.status, body: (await answer.json()) as Record<string, object> }
}

describe('errors', () => {
  const numbered = {
    code: 404,
    metadata: { code: 'model_not_found', error_type: 'not_found' },
    message: expect.any(String),
    param: 'model',
  }
  const plain = { code: 'model_not_found', param: 'model' }

  test.each([
    ['an SDK', sdk, numbered],
    ['an SDK in another language', { 'user-agent': 'speakeasy-sdk/python 0.9 2.9 1.0.0 openrouter' }, numbered],
    ['an SDK in a browser', { 'x-openrouter-title': 'An app' }, numbered],
    ['the client of OpenAI that says the same', { 'x-openrouter-title': 'a', 'x-stainless-lang': 'js' }, plain],
    ['any other client', { 'http-referer': 'https://app.example', 'x-title': 'a' }, plain],
  ])('of %s', async (_who, headers, error) => {
    const answer = await ask({ model: 'none' }, headers)
    expect([answer.status, await answer.json()]).toEqual([404, { error: expect.objectContaining(error) }])
  })

  test('a 402 keeps its facts', async () => {
    const answer = await ask({ model: 'openai/gpt-6-astra', max_tokens: 100_000 })
    const { error } = (await answer.json()) as { error: object }
    expect(error).toMatchObject({
      code: 402,
      metadata: { code: 'insufficient_credits', credits_short: expect.any(Number) },
    })
  })

  test('within a stream stand in a chunk', async () => {
    stub.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ role: 'assistant', content: 'Hel' }))
      response.socket?.end()
    }
    const { frames } = await readStream(await ask({ stream: true, stream_options: { include_usage: true } }))
    expect(frames.every(({ usage }) => usage !== null)).toBe(true)
    expect(frames.at(-1)).toMatchObject({
      object: 'chat.completion.chunk',
      model: 'svc-gpt',
      choices: [{ index: 0, finish_reason: 'error' }],
      error: {
        code: 502,
        message: expect.any(String),
        metadata: { code: 'upstream_error', error_type: 'provider_unavailable' },
      },
    })
  })
})

test.each([false, true])(
  'a stream leaves out the usage of its own chunks alone, asked for: %s',
  async (include_usage) => {
    const detail = { type: 'reasoning.summary', usage: null, summary: 'Hm.', index: 0 }
    stub.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ role: 'assistant', content: '', reasoning_details: [detail] }))
      sendEvent(response, chunkText({ content: 'Hello' }, 'stop'))
      sendEvent(response, '[DONE]')
      response.end()
    }
    const { frames } = await readStream(await ask({ stream: true, stream_options: { include_usage } }))
    expect(frames.every(({ usage }) => usage !== null)).toBe(true)
    expect(JSON.stringify(frames)).toContain(JSON.stringify([detail]))
  },
)

test('answers have what the SDK demands, and their charge', async () => {
  const whole = (await (await ask({})).json()) as object
  expect(whole).toMatchObject({ system_fingerprint: null, object: 'chat.completion' })
  expect(nanocreditsIn(whole)).toBeGreaterThan(0n)
  expect(await (await ask({}, {})).json()).not.toHaveProperty('system_fingerprint')
})

test('the list of models has what entries of OpenRouter have', async () => {
  const { body } = await read('/v1/models', sdk)
  const { data, total_count: count, links } = body as unknown as { data: object[]; total_count: number; links: object }
  expect([count, links]).toEqual([data.length, { next: null }])
  for (const entry of data) {
    expect(entry).toMatchObject({
      canonical_slug: expect.any(String),
      description: expect.any(String),
      architecture: { modality: expect.stringContaining('->') },
      pricing: { prompt: expect.any(String), completion: expect.any(String) },
      links: { details: expect.any(String) },
      top_provider: { is_moderated: false },
      ...{ default_parameters: null, per_request_limits: null, supported_voices: null },
    })
  }
})

describe('the account', () => {
  test('is told in US dollars', async () => {
    const { charge } = await chargeOf(gateway, () => ask({}))
    const usd = Number(charge) / 1e12
    const { body: key } = await read('/v1/key')
    expect(key['data']).toMatchObject({
      label: expect.any(String),
      limit: null,
      limit_reset: null,
      workspace_id: expect.any(String),
    })
    const {
      usage,
      usage_daily: daily,
      usage_weekly: weekly,
      usage_monthly: monthly,
    } = key['data'] as Record<string, number>
    expect(usage).toBeGreaterThanOrEqual(usd)
    expect([daily, weekly, monthly]).toEqual([usage, usage, usage])
    const { body: credits } = await read('/v1/credits')
    expect([openRouterKey.safeParse(key).error, openRouterCredits.safeParse(credits).error]).toEqual([
      undefined,
      undefined,
    ])
    expect(credits['data']).toEqual({ total_credits: 1, total_usage: usage })
  })

  test('a key with a budget says what it leaves', async () => {
    const { rawKey } = await gateway.createKey({ budget: { limit: nanocreditsOf(5_000_000_000n), period: 'monthly' } })
    const { body } = await read('/v1/key', { authorization: `Bearer ${rawKey}` })
    expect(body['data']).toMatchObject({ limit: 0.005, limit_remaining: 0.005, limit_reset: 'monthly', usage: 0 })
  })

  test('a generation is found by the id of its answer, in whatever form', async () => {
    const { result: answer, charge } = await chargeOf(gateway, () => ask({}))
    const requestId = answer.headers.get('x-request-id') ?? ''
    const { id } = (await answer.json()) as { id: string }
    const record = await lastRecord(gateway)
    for (const each of [id, requestId, `msg_${requestId.replaceAll('-', '')}`, `gen-${requestId}`]) {
      const { status, body } = await read(`/v1/generation?id=${each}`)
      expect(openRouterGeneration.safeParse(body).error).toBeUndefined()
      expect([status, body['data']]).toMatchObject([
        200,
        {
          ...{ id: each, request_id: requestId, model: 'svc-gpt', api_type: 'completions', streamed: false },
          ...{ tokens_prompt: record.prompt_tokens, tokens_completion: record.completion_tokens },
          ...{ total_cost: Number(charge) / 1e12, provider_name: null, finish_reason: null, cancelled: false },
        },
      ])
    }
  })

  test.each([
    ['/v1/generation?id=gen-nothing', 404, 'usage_not_found'],
    ['/v1/generation', 400, 'missing_required_parameter'],
    [`/v1/generation?id=${'a'.repeat(200)}`, 400, 'invalid_value'],
  ])('%s is %i', async (path, status, code) => {
    expect(await read(path)).toMatchObject({ status, body: { error: { code: status, metadata: { code } } } })
  })

  test('another key finds nothing, and none is refused', async () => {
    const answer = await ask({})
    const { rawKey } = await gateway.createKey({})
    const id = answer.headers.get('x-request-id')
    expect(await read(`/v1/generation?id=${id}`, { authorization: `Bearer ${rawKey}` })).toMatchObject({ status: 404 })
    for (const path of ['/v1/key', '/v1/credits', `/v1/generation?id=${id}`]) {
      const refused = await read(path, { authorization: 'Bearer sk-svc-wrong' })
      expect(refused).toMatchObject({
        status: 401,
        body: { error: { code: 401, metadata: { code: 'invalid_api_key' } } },
      })
    }
  })
})

describe('models and providers', () => {
  test.each([
    ['the first that there is', { model: 'none', models: ['nothing', 'svc-opus', 'svc-gpt'] }, 'svc-opus'],
    ['the model before the others', { models: ['svc-opus'] }, 'svc-gpt'],
    ['the first of the list without a model', { model: undefined, models: ['svc-opus'] }, 'svc-opus'],
    ['the model with an empty list', { models: [], route: 'fallback' }, 'svc-gpt'],
  ])('%s answers', async (_what, more, model) => {
    const answer = await ask(more)
    expect([answer.status, await answer.json()]).toMatchObject([200, { model }])
    expect(await lastRecord(gateway)).toMatchObject({ model })
    expect(Object.keys(stub.chats[0]?.json ?? {})).not.toEqual(expect.arrayContaining(['models']))
    expect(stub.chats[0]?.json).not.toHaveProperty('route')
  })

  test.each([
    { order: ['a'], sort: 'price', allow_fallbacks: true },
    { data_collection: 'allow', zdr: false, require_parameters: false, only: [], ignore: null },
    {},
    null,
  ])('a preference of providers is taken, and goes no further: %o', async (provider) => {
    expect((await ask({ provider })).status).toBe(200)
    expect(stub.chats[0]?.text).not.toContain('"order"')
  })

  test.each([
    ['provider.only', { provider: { only: ['a'] } }],
    ['provider.zdr', { provider: { zdr: true } }],
    ['provider.allow_fallbacks', { provider: { order: ['a'], allow_fallbacks: false } }],
    ['provider.data_collection', { provider: { data_collection: 'deny' } }],
    ['provider.something', { provider: { something: 1 } }],
    ['Models', { Models: ['svc-opus'] }],
    ['route', { route: 'other' }],
  ])('a condition is refused: %s', async (param, more) => {
    const answer = await ask(more, {})
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: { code: 'unsupported_parameter', param } },
    ])
  })

  test.each([
    { models: 'svc-opus' },
    { models: [1] },
    { models: Array.from({ length: 11 }, () => 'a') },
    { provider: 'a' },
  ])('what is none is refused: %o', async (more) => {
    const answer = await ask(more, {})
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: 'invalid_value' } }])
  })

  test('a model whose upstreams are left alone is passed over, as long as another one is in service', async () => {
    const failing = await startTestGateway({
      ...{ upstreamUrl: stub.url, credits: '1000' },
      file: { limits: { breaker_failures: 2, breaker_open_ms: 3_600_000 } },
    })
    const chat = (more: object) => failing.chat({ ...hello, ...more })
    stub.onChat = (_call, response) => void response.writeHead(503, { 'content-type': 'application/json' }).end('{}')
    expect([(await chat({})).status, (await chat({})).status]).toEqual([503, 503])
    stub.onChat = (_call, response) => sendCompletion(response)
    expect(await (await chat({ models: ['svc-gpt', 'svc-opus'] })).json()).toMatchObject({ model: 'svc-opus' })
    expect(await lastRecord(failing)).toMatchObject({ model: 'svc-opus' })
    expect((await chat({ models: ['svc-gpt', 'none'] })).status).toBe(503)
    await failing.stop()
  })

  test('a quote for a list of models names the one that it is for, and that one answers', async () => {
    const failing = await startTestGateway({
      ...{ upstreamUrl: stub.url, credits: '1000' },
      file: { limits: { breaker_failures: 2, breaker_open_ms: 3_600_000 } },
    })
    const listed = { ...hello, max_tokens: 50, models: ['svc-gpt', 'svc-opus'] }
    const quoteOf = async (): Promise<{ readonly quote_id: string; readonly model: string }> => {
      const body = JSON.stringify({ endpoint: '/v1/chat/completions', body: listed })
      const headers = { 'content-type': 'application/json' }
      return (await failing.fetch('/v1/quotes', { method: 'POST', headers, body })).json() as never
    }
    const send = (quoteId: string) => failing.chat(listed, { headers: { 'x-svc-quote': quoteId } })
    const first = await quoteOf()
    expect(first.model).toBe('svc-gpt')
    stub.onChat = (_call, response) => void response.writeHead(503, { 'content-type': 'application/json' }).end('{}')
    for (const _ of [1, 2]) expect((await failing.chat(hello)).status).toBe(503)
    stub.onChat = (_call, response) => sendCompletion(response)
    const second = await quoteOf()
    expect(second.model).toBe('svc-opus')
    expect(await (await send(second.quote_id)).json()).toMatchObject({ model: 'svc-opus' })
    // The quoted model is left alone for now: it is not answered by another one, and its quote still fits.
    expect((await send(first.quote_id)).status).toBe(503)
    await failing.stop()
  })

  test('a model that the key may not use is passed over', async () => {
    const { rawKey } = await gateway.createKey({ models: ['svc-opus'] })
    const answer = await ask({ models: ['svc-opus'] }, { authorization: `Bearer ${rawKey}` })
    expect(await answer.json()).toMatchObject({ model: 'svc-opus' })
  })
})

test.each(['QUERY', 'PROPFIND', 'TRACE', 'LINK'])('the method %s is refused, never failed', async (method) => {
  for (const path of ['/v1/chat/completions', '/v1/nothing', '/v1/models/a']) {
    const { status, text } = await rawRequest(gateway.baseUrl, { method, path: `/api${path}` })
    expect([path, status]).toEqual([path, path === '/v1/nothing' ? 404 : 405])
    expect(JSON.parse(text)).toMatchObject({ error: { code: status === 404 ? 'unknown_url' : 'method_not_allowed' } })
  }
})
