/** The official OpenAI client, unmodified, against a whole gateway: failures, attempts and what they cost. */
import { nanocreditsOf } from '@svc/contract'
import OpenAI from 'openai'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  beginStream,
  chunkText,
  sendCompletion,
  sendEvent,
  type StubUpstream,
  usageText,
} from '../packages/server/testing/stub-upstream.ts'
import { startTestGateway } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { arrivals, cardOf, chargeOf, chatStatuses, failureOf, nanocreditsIn } from './charge-of.ts'

const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Say hello.' }]
const question = { model: 'svc-gpt', messages }

const stub = useStubUpstream()

async function apiErrorOf(work: PromiseLike<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  const error = await failureOf(work)
  if (!(error instanceof OpenAI.APIError)) throw error
  return error
}

/** Answers with a failure, as upstreams do. */
function refuse(status: number, error: object, headers: Record<string, string> = {}): StubUpstream['onChat'] {
  return (_call, response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify({ error }))
}

/** Answers the first attempts with a failure each and then with an answer. */
function recover(...failures: StubUpstream['onChat'][]): StubUpstream['onChat'] {
  const left = [...failures]
  return (call, response) => (left.shift() ?? ((_call, out) => sendCompletion(out)))(call, response)
}

describe('on a full balance', () => {
  const gateway = useGateway(() => ({ upstreamUrl: stub.url, file: { limits: { chat_body_bytes: 4_096 } } }))
  let client: OpenAI
  let attemptsBefore: number
  let upstreamBefore: number

  const attempts = (): number[] => chatStatuses(gateway).slice(attemptsBefore)
  const upstreamAttempts = (): number => stub.chats.length - upstreamBefore

  beforeAll(() => {
    client = new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key })
  })
  beforeEach(() => {
    stub.onChat = (_call, response) => sendCompletion(response)
    attemptsBefore = chatStatuses(gateway).length
    upstreamBefore = stub.chats.length
  })

  test('400 names the field and is one attempt', async () => {
    const { result: error, charge } = await chargeOf(gateway, () =>
      apiErrorOf(client.chat.completions.create({ ...question, messages: [{ role: 'user', content: ' ' }] })),
    )
    expect(error).toBeInstanceOf(OpenAI.BadRequestError)
    expect(error).toMatchObject({
      status: 400,
      code: 'empty_content',
      param: 'messages',
      type: 'invalid_request_error',
    })
    expect(error.requestID).toMatch(/^[0-9a-f-]{36}$/)
    await expect.poll(attempts).toEqual([400])
    expect([charge, upstreamAttempts()]).toEqual([0n, 0])
  })

  test('400 of the upstream shows its sentence about the request', async () => {
    stub.onChat = refuse(400, { message: 'temperature must be at most 2', code: 400 })
    const error = await apiErrorOf(client.chat.completions.create({ ...question, temperature: 3 }))
    expect(error).toBeInstanceOf(OpenAI.BadRequestError)
    expect(error).toMatchObject({ status: 400, code: 'upstream_rejected_request' })
    expect(error.message).toContain('temperature must be at most 2')
  })

  test('401 for a wrong key', async () => {
    const stranger = new OpenAI({ baseURL: gateway.v1, apiKey: 'sk-svc-wrong' })
    const error = await apiErrorOf(stranger.chat.completions.create(question))
    expect(error).toBeInstanceOf(OpenAI.AuthenticationError)
    expect(error).toMatchObject({ status: 401, code: 'invalid_api_key', type: 'invalid_request_error' })
    await expect.poll(attempts).toEqual([401])
  })

  test('403 for a model that the key may not use', async () => {
    const { rawKey } = await gateway.createKey({ models: ['svc-gpt-mini'] })
    const narrow = new OpenAI({ baseURL: gateway.v1, apiKey: rawKey })
    const error = await apiErrorOf(narrow.chat.completions.create(question))
    expect(error).toBeInstanceOf(OpenAI.PermissionDeniedError)
    expect(error).toMatchObject({ status: 403, code: 'model_not_allowed', param: 'model', type: 'permission_error' })
  })

  test('404 for an unknown model, and for an endpoint that is not here', async () => {
    const unknown = await apiErrorOf(client.chat.completions.create({ ...question, model: 'svc-nobody' }))
    expect(unknown).toBeInstanceOf(OpenAI.NotFoundError)
    expect(unknown).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' })
    const model = await apiErrorOf(client.models.retrieve('openrouter/nobody/nothing'))
    expect(model).toMatchObject({ status: 404, code: 'model_not_found' })
    const nowhere = await apiErrorOf(client.vectorStores.create({}))
    expect(nowhere).toBeInstanceOf(OpenAI.NotFoundError)
    expect(nowhere).toMatchObject({ status: 404, code: 'unknown_url' })
  })

  test('413 for a body above the limit is one attempt', async () => {
    const long = [{ role: 'user' as const, content: 'x'.repeat(5_000) }]
    const error = await apiErrorOf(client.chat.completions.create({ ...question, messages: long }))
    expect(error).toMatchObject({ status: 413, code: 'request_too_large', type: 'invalid_request_error' })
    await expect.poll(attempts).toEqual([413])
  })

  test.each([
    { upstream: 500, asked: 3, status: 502, code: 'upstream_error', type: 'server_error' },
    // The gateway itself asks once more where an upstream names a short wait.
    { upstream: 503, asked: 6, status: 503, code: 'server_is_overloaded', type: 'service_unavailable_error' },
    { upstream: 504, asked: 3, status: 504, code: 'upstream_timeout', type: 'server_error' },
  ])('$status is tried three times, and every attempt is free', async ({ upstream, asked, status, code, type }) => {
    stub.onChat = refuse(upstream, { message: 'broken', code: upstream }, { 'retry-after': '1' })
    const { result: error, charge } = await chargeOf(gateway, () =>
      apiErrorOf(client.chat.completions.create(question)),
    )
    expect(error).toBeInstanceOf(OpenAI.InternalServerError)
    expect(error).toMatchObject({ status, code, type, param: null })
    expect(error.requestID).toMatch(/^[0-9a-f-]{36}$/)
    await expect.poll(attempts).toEqual([status, status, status])
    expect([charge, upstreamAttempts()]).toEqual([0n, asked])
    expect(
      arrivals(gateway)
        .slice(-3)
        .map(({ retry }) => retry),
    ).toEqual(['0', '1', '2'])
  })

  test('a lack of credit at the upstream is 503, never 402', async () => {
    stub.onChat = refuse(402, { message: 'This request requires more credits', code: 402 }, { 'retry-after': '1' })
    const error = await apiErrorOf(client.chat.completions.create(question, { maxRetries: 0 }))
    expect(error).toMatchObject({ status: 503, code: 'upstream_unavailable' })
    expect(error.message).not.toContain('requires more credits')
    expect(error.headers?.get('retry-after')).toBe('1')
  })

  test('failed attempts are free and the one that answers is charged once', async () => {
    const broken = refuse(500, { message: 'broken' })
    stub.onChat = recover(broken, broken)
    const { result, charge } = await chargeOf(gateway, () => client.chat.completions.create(question))
    expect(charge).toBe(cardOf(10, 5))
    expect(nanocreditsIn(result)).toBe(charge)
    await expect.poll(attempts).toEqual([502, 502, 200])
    expect(upstreamAttempts()).toBe(3)
  })

  test('a stream that fails before its first content gets its true status and is tried again', async () => {
    stub.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ role: 'assistant', content: '' }))
      sendEvent(response, JSON.stringify({ error: { code: 503, message: 'busy' }, choices: [] }))
      response.end()
    }
    const { result: error, charge } = await chargeOf(gateway, () =>
      apiErrorOf(client.chat.completions.create({ ...question, stream: true }, { maxRetries: 1 })),
    )
    expect(error).toBeInstanceOf(OpenAI.InternalServerError)
    expect(error).toMatchObject({ status: 503, code: 'server_is_overloaded' })
    await expect.poll(attempts).toEqual([503, 503])
    expect(charge).toBe(0n)
  })

  test.each([
    { way: 'iteration', read: iterate },
    { way: 'the stream helper', read: helped },
  ])('a stream that fails in its middle throws in $way, is not tried again and is free', async ({ read }) => {
    stub.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ role: 'assistant', content: 'Hello' }))
      sendEvent(
        response,
        chunkText({ content: '' }, 'error', {
          error: { code: 502, message: 'The provider sk-or-v1-secret0000 broke' },
        }),
      )
      response.end()
    }
    const { result, charge } = await chargeOf(gateway, () => read(client))
    expect(result.text).toBe('Hello')
    expect(result.error).toBeInstanceOf(OpenAI.APIError)
    expect(result.error).toMatchObject({ code: 'upstream_error', type: 'server_error' })
    expect(String(result.error)).not.toContain('secret')
    expect([charge, upstreamAttempts()]).toEqual([0n, 1])
  })

  test('a stream that is cut throws, and what was delivered is charged', async () => {
    stub.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ role: 'assistant', content: 'x'.repeat(40) }))
      sendEvent(response, usageText({ prompt_tokens: 10, completion_tokens: 10 }))
      response.end()
    }
    const { result, charge } = await chargeOf(gateway, () => iterate(client))
    expect(result.error).toMatchObject({ code: 'upstream_error' })
    expect(charge).toBe(cardOf(10, 10))
  })
})

interface BrokenStream {
  readonly text: string
  readonly error: unknown
}

async function iterate(client: OpenAI): Promise<BrokenStream> {
  let text = ''
  const error = await failureOf(
    (async () => {
      for await (const chunk of await client.chat.completions.create({ ...question, stream: true })) {
        text += chunk.choices[0]?.delta.content ?? ''
      }
    })(),
  )
  return { text, error }
}

async function helped(client: OpenAI): Promise<BrokenStream> {
  const stream = client.chat.completions.stream(question)
  let text = ''
  stream.on('content', (delta) => (text += delta))
  return { error: await failureOf(stream.finalChatCompletion()), text }
}

describe('on a small balance', () => {
  const gateway = useGateway(() => ({ upstreamUrl: stub.url, credits: '1' }))
  let client: OpenAI

  beforeAll(() => {
    client = new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key })
    stub.onChat = (_call, response) => sendCompletion(response)
  })

  test.each([{ stream: false }, { stream: true }])(
    '402 is one attempt that reaches no upstream and says what is missing (stream: $stream)',
    async ({ stream }) => {
      const before = { gateway: chatStatuses(gateway).length, upstream: stub.chats.length }
      const { result: error, charge } = await chargeOf(gateway, () =>
        apiErrorOf(client.chat.completions.create({ ...question, max_tokens: 50_000, stream })),
      )
      expect(error).toMatchObject({
        status: 402,
        code: 'insufficient_credits',
        type: 'insufficient_quota',
        param: null,
      })
      const facts = error.error as Record<string, number | string>
      expect(facts).toMatchObject({ limit: 'account', credits_available: 1 })
      expect(facts['credits_required']).toBeGreaterThan(1)
      expect(facts['credits_short']).toBeCloseTo(Number(facts['credits_required']) - 1, 6)
      expect(facts['topup_url']).toMatch(/^http.+/)
      expect(error.headers?.get('x-should-retry')).toBe('false')
      await expect.poll(() => chatStatuses(gateway).slice(before.gateway)).toEqual([402])
      expect([charge, stub.chats.length]).toEqual([0n, before.upstream])
    },
  )

  test('the max_tokens that a 402 names is affordable to the token', async () => {
    const error = await apiErrorOf(client.chat.completions.create({ ...question, max_tokens: 50_000 }))
    const affordable = Number(Reflect.get(Object(error.error), 'affordable_max_tokens'))
    const above = await apiErrorOf(client.chat.completions.create({ ...question, max_tokens: affordable + 1 }))
    expect(above.status).toBe(402)
    const { charge } = await chargeOf(gateway, () =>
      client.chat.completions.create({ ...question, max_tokens: affordable }),
    )
    expect(charge).toBe(cardOf(10, 5))
  })

  test('402 for a key’s budget says so', async () => {
    const { rawKey, keyId } = await gateway.createKey({ budget: { limit: nanocreditsOf(1_000n), period: 'none' } })
    const capped = new OpenAI({ baseURL: gateway.v1, apiKey: rawKey })
    const error = await apiErrorOf(capped.chat.completions.create({ ...question, max_tokens: 1_000 }))
    expect(error).toMatchObject({ status: 402, code: 'key_budget_exceeded' })
    expect(error.error).toMatchObject({
      ...{ limit: 'key', credits_available: 0.000001 },
      // The system has chosen the port of this gateway.
      topup_url: `http://localhost:${new URL(gateway.v1).port}/console/team/${gateway.teamId}/keys/${keyId}`,
    })
  })
})

describe('with a limit on requests', () => {
  test('429 says when to come back, and the client does', async () => {
    const startedAt = Date.now()
    let aheadMs = 0
    const gateway = await startTestGateway({
      ...{ upstreamUrl: stub.url, file: { limits: { requests_per_minute: 60 } } },
      clock: { now: () => startedAt + aheadMs },
    })
    stub.onChat = (_call, response) => sendCompletion(response)
    const client = new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key })
    for (let request = 0; request < 10; request += 1) await gateway.fetch('/v1/balance')

    const error = await apiErrorOf(client.chat.completions.create(question, { maxRetries: 0 }))
    expect(error).toBeInstanceOf(OpenAI.RateLimitError)
    expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded', type: 'rate_limit_error' })
    expect(error.headers?.get('retry-after')).toBe('1')
    expect(error.headers?.get('retry-after-ms')).toBe('1000')
    expect(error.headers?.get('x-ratelimit-remaining-requests')).toBe('0')

    // The gateway's second passes while the client waits.
    const waiting = new OpenAI({
      ...{ baseURL: gateway.v1, apiKey: gateway.key },
      fetch: async (...sent) => {
        const answer = await fetch(...sent)
        if (answer.status === 429) aheadMs += 1_000
        return answer
      },
    })
    const { result, charge } = await chargeOf(gateway, () => waiting.chat.completions.create(question))
    expect(nanocreditsIn(result)).toBe(charge)
    expect(charge).toBe(cardOf(10, 5))
    await expect.poll(() => chatStatuses(gateway)).toEqual([429, 429, 200])
    await gateway.stop()
  })
})
