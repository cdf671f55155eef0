/** Text completions at upstreams that make them themselves: texts with a suffix, and texts that are no chat. */
import type { ServerResponse } from 'node:http'
import OpenAI from 'openai'
import { beforeEach, describe, expect, test } from 'vitest'
import { frame } from '../packages/server/testing/scripted-answer.ts'
import { beginStream, sendCompletion, sendEvent, type StubCall } from '../packages/server/testing/stub-upstream.ts'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import { createTestAccount } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { lastBooked } from './books-of.ts'
import { chargeOf, nanocreditsIn } from './charge-of.ts'
import { errorOf, refusalOf } from './error-of.ts'

const PROMPT = 'def fib(n):\n    a, b = 0, 1\n'
const SUFFIX = '\n    return a\n'
const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const PRICE = { input: '1', output: '2' }

/** Charge at `PRICE`, in nanocredits: 1,000 credits for a dollar, and 20 % more. */
const costOf = (promptTokens: number, completionTokens: number): bigint =>
  BigInt(promptTokens + 2 * completionTokens) * 1_200_000n

const stub = useStubUpstream()
/** The requests for texts so far. */
const texts: StubCall[] = []
let answer: (call: StubCall, response: ServerResponse) => void

/** A whole text, as vLLM and llama.cpp answer it. */
function sendText(response: ServerResponse, choice: object = {}, usage: object | null = USAGE): void {
  const made = { index: 0, text: 'while n:', finish_reason: 'stop', logprobs: null, stop_reason: null, ...choice }
  const body = { id: 'cmpl-9', object: 'text_completion', created: 1_795_813_200, model: 'coder', choices: [made] }
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ ...body, ...(usage === null ? {} : { usage }) }))
}

const eventOf = (choice: object, more: object = {}): string =>
  JSON.stringify({
    id: 'cmpl-9',
    object: 'text_completion',
    choices: [{ index: 0, logprobs: null, ...choice }],
    ...more,
  })

/** The same as a stream; with usage where it was asked for, as vLLM does. */
function streamText({ json }: StubCall, response: ServerResponse): void {
  beginStream(response)
  for (const text of ['while', ' n', ':']) sendEvent(response, eventOf({ text, finish_reason: null }))
  sendEvent(response, eventOf({ text: '', finish_reason: 'stop' }))
  if (json?.['stream_options'] !== undefined) sendEvent(response, JSON.stringify({ choices: [], usage: USAGE }))
  response.end(frame('[DONE]'))
}

/** Mistral answers texts in the form of a chat. Source: its API reference, "Fill in the middle". */
function sendAsChat(call: StubCall, response: ServerResponse): void {
  if (!call.wantsStream) return sendCompletion(response, { text: 'while n:' })
  beginStream(response)
  const piece = (delta: object, finishReason: string | null, more: object = {}): string =>
    JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finishReason }], ...more })
  sendEvent(response, piece({ role: 'assistant', content: 'while' }, null))
  sendEvent(response, piece({ content: ' n:' }, 'stop', { usage: USAGE }))
  response.end(frame('[DONE]'))
}

stub.onOther = (call, response) => {
  if (!/^\/v1\/(beta\/|fim\/)?completions$/.test(call.path)) return void response.writeHead(404).end()
  texts.push(call)
  answer(call, response)
}
beforeEach(() => {
  texts.length = stub.chats.length = 0
  answer = (call, response) => (call.wantsStream ? streamText(call, response) : sendText(response))
  stub.onChat = (_call, response) => sendCompletion(response, { text: 'a chat' })
})

const upstream = (name: string, textCompletions?: object) => ({
  ...{ name, kind: 'openai-compatible' as const, url: stub.url },
  ...(textCompletions === undefined ? {} : { text_completions: textCompletions }),
})
const file = () => ({
  upstreams: [
    upstream('chats'),
    upstream('texts', {}),
    upstream('mistral', { path: '/fim/completions' }),
    upstream('some', { path: '/beta/completions', models: ['coder-*', 'fim'], suffix: true }),
    upstream('prompts', { suffix: false }),
  ],
  routes: {
    coder: { upstream: 'texts', price: PRICE },
    codestral: { upstream: 'mistral', price: PRICE },
    'coder-7b': { upstream: 'some', price: PRICE },
    talker: { upstream: 'some', price: PRICE },
    base: { upstream: 'prompts', price: PRICE },
    mixed: {
      targets: [
        { upstream: 'chats', price: { input: '9', output: '9' } },
        { upstream: 'texts', price: PRICE },
      ],
    },
  },
})

describeEachEngine('a text', (engine) => {
  const gateway = useGateway(() => ({ upstreamUrl: stub.url, kind: 'openai-compatible', engine, file: file() }))
  const post = (body: object, init: RequestInit & { key?: string | null } = {}): Promise<Response> =>
    gateway.fetch('/v1/completions', {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, ...init },
      body: JSON.stringify({ model: 'coder', prompt: PROMPT, suffix: SUFFIX, ...body }),
    })
  const textsIn = (events: string): string =>
    [...events.matchAll(/"text":("(?:[^"\\]|\\.)*")/g)].map(([, text = '""']) => JSON.parse(text) as string).join('')

  test('goes upstream as it is, with its suffix, and costs what the upstream counts', async () => {
    const openai = new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key, maxRetries: 0 })
    const { result, charge } = await chargeOf(gateway, () =>
      openai.completions.create({ model: 'coder', prompt: PROMPT, suffix: SUFFIX, temperature: 0, stop: ['\n\n'] }),
    )
    expect(texts.map(({ path }) => path)).toEqual(['/v1/completions'])
    const sent = { model: 'coder', prompt: PROMPT, suffix: SUFFIX, max_tokens: 16, temperature: 0, stop: ['\n\n'] }
    expect(texts[0]?.json).toEqual(sent)
    expect(result).toMatchObject({ object: 'text_completion', model: 'coder', usage: USAGE })
    expect(result.choices).toEqual([{ index: 0, text: 'while n:', finish_reason: 'stop', logprobs: null }])
    expect([nanocreditsIn(result), charge]).toEqual([costOf(10, 5), costOf(10, 5)])
    expect(await lastBooked(gateway)).toMatchObject({ isEstimated: false, status: 'ok' })
  })

  test('streams as it is made, and costs what the upstream counts', async () => {
    const openai = new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key, maxRetries: 0 })
    const chunks: OpenAI.Completion[] = []
    const { charge } = await chargeOf(gateway, async () => {
      const asked = { model: 'coder', prompt: PROMPT, suffix: SUFFIX, echo: true, stream: true } as const
      for await (const chunk of await openai.completions.create(asked)) chunks.push(chunk)
    })
    expect(texts[0]?.json).toMatchObject({ prompt: PROMPT, stream: true, stream_options: { include_usage: true } })
    expect(texts[0]?.json).not.toHaveProperty('echo')
    expect(chunks.map(({ choices }) => choices[0]?.text ?? '').join('')).toBe(`${PROMPT}while n:`)
    expect(chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? [])).toEqual(['stop'])
    expect([nanocreditsIn(chunks.at(-1)), charge]).toEqual([costOf(10, 5), costOf(10, 5)])
  })

  test.each([false, true])('is read where it comes in the form of a chat (stream: %s)', async (stream) => {
    answer = sendAsChat
    const { result, charge } = await chargeOf(gateway, async () => (await post({ model: 'codestral', stream })).text())
    expect(texts.map(({ path }) => path)).toEqual(['/v1/fim/completions'])
    expect([textsIn(result), charge]).toEqual(['while n:', costOf(10, 5)])
  })

  test('is answered by the upstreams that complete texts, for the models that they name', async () => {
    const answers: string[] = []
    for (const [model, suffix] of [
      ['coder', ''],
      ['coder-7b', SUFFIX],
      ['talker', null],
      ['base', undefined],
      ['mixed', SUFFIX],
    ]) {
      const body = (await (await post({ model, suffix })).json()) as OpenAI.Completion
      answers.push(`${model}: ${body.choices[0]?.text}`)
    }
    expect(answers).toEqual([
      'coder: while n:',
      'coder-7b: while n:',
      'talker: a chat',
      'base: while n:',
      'mixed: while n:',
    ])
    expect(texts.map(({ json }) => json?.['suffix'])).toEqual([undefined, SUFFIX, undefined, SUFFIX])
    expect(texts[1]?.path).toBe('/v1/beta/completions')
  })

  test.each(['svc-gpt', 'talker', 'base'])('with a suffix is refused where no upstream fills in: %s', async (model) => {
    const { result, charge } = await chargeOf(gateway, () => post({ model }))
    expect(await refusalOf(result)).toBe('400 unsupported_parameter suffix')
    expect([charge, texts, stub.chats]).toEqual([0n, [], []])
  })

  test('asks for logprobs as this form does, and shows them', async () => {
    const logprobs = {
      ...{ tokens: ['wh', 'ile'], token_logprobs: [-0.5, null], text_offset: [0, 2] },
      top_logprobs: [{ wh: -0.5, fo: -1.5 }, null],
    }
    answer = (_call, response) => sendText(response, { text: 'while', logprobs })
    const body = (await (await post({ logprobs: 2 })).json()) as OpenAI.Completion
    expect(texts[0]?.json).toMatchObject({ logprobs: 2 })
    expect(texts[0]?.json).not.toHaveProperty('top_logprobs')
    const shown = { ...logprobs, token_logprobs: [-0.5, 0], top_logprobs: [{ wh: -0.5, fo: -1.5 }, {}] }
    expect(body.choices[0]?.logprobs).toEqual(shown)
  })

  test('several are asked one by one, each with the suffix, at one charge', async () => {
    answer = ({ json }, response) => sendText(response, { text: String(json?.['prompt']).toUpperCase() })
    const { result, charge } = await chargeOf(gateway, () => post({ prompt: ['a', 'b', 'c'] }))
    const { choices } = (await result.json()) as OpenAI.Completion
    expect(choices.map(({ text }) => text)).toEqual(['A', 'B', 'C'])
    expect(texts.map(({ json }) => json?.['suffix'])).toEqual([SUFFIX, SUFFIX, SUFFIX])
    expect(charge).toBe(costOf(30, 15))
  })

  test('may be empty between a prompt and a suffix, and is charged then; without a suffix it is free', async () => {
    answer = (_call, response) => sendText(response, { text: '' }, { ...USAGE, completion_tokens: 1, total_tokens: 11 })
    const filled = await chargeOf(gateway, () => post({}))
    expect([filled.result.status, filled.charge]).toEqual([200, costOf(10, 1)])
    const empty = await chargeOf(gateway, () => post({ suffix: '' }))
    expect([await refusalOf(empty.result), empty.charge]).toEqual(['502 upstream_empty', 0n])
  })

  test('whose usage is not told is charged for its prompt and suffix by their bytes', async () => {
    answer = (_call, response) => sendText(response, {}, null)
    const short = await chargeOf(gateway, () => post({}))
    const long = await chargeOf(gateway, () => post({ suffix: SUFFIX + 'x'.repeat(4_000) }))
    expect(long.charge - short.charge).toBe(costOf(1_000, 0))
    expect(await lastBooked(gateway)).toMatchObject({ isEstimated: true })
  })

  test('is free where the upstream fails or refuses it, and part of a stream is charged', async () => {
    answer = (_call, response) => void response.writeHead(500, { 'content-type': 'application/json' }).end('{}')
    const broken = await chargeOf(gateway, () => post({}))
    expect([(await errorOf(broken.result)).code, broken.charge]).toEqual(['upstream_error', 0n])
    answer = (_call, response) => {
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end('{"error":{"message":"suffix is not currently supported","type":"BadRequestError","code":400}}')
    }
    const refused = await chargeOf(gateway, () => post({}))
    expect([refused.result.status, refused.charge]).toEqual([400, 0n])
    answer = (_call, response) => {
      beginStream(response)
      sendEvent(response, eventOf({ text: 'while', finish_reason: null }))
      response.write('', () => response.destroy())
    }
    const cut = await chargeOf(gateway, async () => (await post({ stream: true })).text())
    expect(cut.result).toMatch(/"text":"while"[^]*"error":\{/)
    expect(cut.charge).toBeGreaterThan(0n)
    expect(await lastBooked(gateway)).toMatchObject({ charge: cut.charge, isEstimated: true, status: 'incomplete' })
  })

  test('a client that leaves a stream pays once for what was made, and the upstream stops', async () => {
    const closed = Promise.withResolvers<void>()
    answer = (call, response) => {
      beginStream(response)
      sendEvent(response, eventOf({ text: 'while', finish_reason: null }))
      void call.closed.then(closed.resolve)
    }
    const { charge } = await chargeOf(gateway, async () => {
      const leaving = new AbortController()
      const { body } = await post({ stream: true }, { signal: leaving.signal })
      await body?.getReader().read()
      leaving.abort()
      await closed.promise
    })
    expect(charge).toBeGreaterThan(0n)
    expect(await lastBooked(gateway)).toMatchObject({ charge, status: 'cancelled' })
  })

  test('what its path refuses of ours is left out there, and asked for in chats as before', async () => {
    answer = (call, response) => {
      if (call.json?.['stream_options'] === undefined) return sendAsChat(call, response)
      response.writeHead(422, { 'content-type': 'application/json' })
      response.end('{"detail":[{"loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}')
    }
    for (const at of [1, 2]) {
      const { result, charge } = await chargeOf(gateway, async () =>
        (await post({ model: 'codestral', stream: true })).text(),
      )
      expect([at, textsIn(result), charge]).toEqual([at, 'while n:', costOf(10, 5)])
    }
    expect(texts.map(({ json }) => 'stream_options' in Object(json))).toEqual([true, false, false])
    const messages = [{ role: 'user', content: 'Hi' }]
    await (await gateway.chat({ model: 'codestral', messages, stream: true })).text()
    expect(stub.chats[0]?.json).toMatchObject({ messages, stream_options: { include_usage: true } })
  })

  describe('credits', () => {
    test('are held for prompt and suffix; an account without them and a wrong key reach no upstream', async () => {
      const held: bigint[] = []
      answer = (_call, response) =>
        void gateway.balance().then((balance) => {
          held.push(balance.held)
          sendText(response)
        })
      for (const suffix of ['x', 'x'.repeat(1_001)]) expect((await post({ suffix })).status).toBe(200)
      const [short = 0n, long = 0n] = held
      expect(long - short).toBe(costOf(1_000, 0))
      const account = await createTestAccount(gateway.gateway, '0')
      const { rawKey: key } = await gateway.createKey({ accountId: account.accountId, teamId: account.teamId })
      texts.length = 0
      expect(await errorOf(await post({}, { key }))).toMatchObject({
        ...{ code: 'insufficient_credits', credits_required: expect.any(Number) },
      })
      expect(await refusalOf(await post({}, { key: 'sk-svc-wrong' }))).toBe('401 invalid_api_key')
      expect(texts).toEqual([])
    })
  })
})
