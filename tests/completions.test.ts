/** Text completions, the older form of OpenAI: through unmodified clients, and what the form adds to a chat. */
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { OpenAI as LangChain } from '@langchain/openai'
import { generateText, streamText } from 'ai'
import OpenAI from 'openai'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  beginStream,
  chunkText,
  sendCompletion,
  sendEvent,
  sendStream,
} from '../packages/server/testing/stub-upstream.ts'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import { createTestAccount } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { lastBooked } from './books-of.ts'
import { cardOf, chargeOf, nanocreditsIn } from './charge-of.ts'
import { errorOf } from './error-of.ts'

const MODEL = 'svc-gpt'
const PROMPT = 'Say hello.'

describe('clients', () => {
  const gateway = useGateway()
  const openai = () => new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key, maxRetries: 0 })
  const asked = { model: MODEL, prompt: PROMPT, max_tokens: 200 }

  test('openai: a whole answer has its text, its usage and its charge', async () => {
    const { result, charge } = await chargeOf(gateway, () => openai().completions.create(asked))
    expect(result).toMatchObject({ object: 'text_completion', model: MODEL, id: expect.stringMatching(/^cmpl-/) })
    expect(result.choices).toMatchObject([{ index: 0, finish_reason: 'stop', text: expect.stringMatching(/sandbox/i) }])
    expect([nanocreditsIn(result), cardOf(result.usage?.prompt_tokens, result.usage?.completion_tokens)]).toEqual([
      charge,
      charge,
    ])
  })

  test('openai: a stream has its pieces, its usage and its charge', async () => {
    const chunks: OpenAI.Completion[] = []
    const { charge } = await chargeOf(gateway, async () => {
      const stream = await openai().completions.create({
        ...asked,
        stream: true,
        stream_options: { include_usage: true },
      })
      for await (const chunk of stream) chunks.push(chunk)
    })
    expect(chunks.map(({ choices }) => choices[0]?.text ?? '').join('')).toMatch(/sandbox/i)
    expect(chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? [])).toEqual(['stop'])
    expect([nanocreditsIn(chunks.at(-1)), chunks.at(-1)?.usage?.completion_tokens]).toEqual([
      charge,
      expect.any(Number),
    ])
  })

  test('LangChain: one prompt, a batch of prompts, and a stream', async () => {
    const model = new LangChain({ model: MODEL, apiKey: gateway.key, configuration: { baseURL: gateway.v1 } })
    expect(await model.invoke(PROMPT)).toMatch(/sandbox/i)
    const { generations } = await model.generate([PROMPT, 'Say bye.'])
    expect(generations.map(([first]) => first?.text)).toEqual([
      expect.stringMatching(/sandbox/i),
      expect.stringMatching(/sandbox/i),
    ])
    let text = ''
    for await (const piece of await model.stream(PROMPT)) text += piece
    expect(text).toMatch(/sandbox/i)
  })

  const providers = [
    {
      name: '@ai-sdk/openai',
      model: () => createOpenAI({ baseURL: gateway.v1, apiKey: gateway.key }).completion(MODEL),
    },
    {
      name: '@ai-sdk/openai-compatible',
      model: () =>
        createOpenAICompatible({ name: 'svc', baseURL: gateway.v1, apiKey: gateway.key }).completionModel(MODEL),
    },
  ]
  test.each(providers)('$name: whole and streamed', async ({ model }) => {
    const whole = await generateText({ model: model(), prompt: PROMPT, maxOutputTokens: 200 })
    expect([whole.text, whole.usage.outputTokens]).toEqual([expect.stringMatching(/sandbox/i), expect.any(Number)])
    const streamed = streamText({ model: model(), prompt: PROMPT, maxOutputTokens: 200 })
    expect(await streamed.text).toMatch(/sandbox/i)
    expect(await streamed.finishReason).toBe('stop')
  })
})

const stub = useStubUpstream()
const usage = { prompt_tokens: 10, completion_tokens: 5 }
beforeEach(() => {
  stub.chats.length = 0
  stub.onChat = (call, response) =>
    call.wantsStream ? sendStream(response, { words: ['Hello'], usage }) : sendCompletion(response)
})

interface Choice {
  readonly index: number
  readonly text: string
}

/** The prompt that a chat has as its one message. */
function promptOf(json: Record<string, unknown> | null): string {
  const [message] = (json?.['messages'] ?? []) as readonly { readonly content: string }[]
  return message?.content ?? ''
}

/** An answer without the comments that keep its connection alive. */
const textOf = async (response: Response): Promise<string> => (await response.text()).replaceAll(/^:.*\n\n/gm, '')

describeEachEngine('the form', (engine) => {
  const gateway = useGateway(() => ({ upstreamUrl: stub.url, kind: 'openai-compatible', engine }))
  const post = (body: object, headers: Record<string, string> = {}): Promise<Response> =>
    gateway.fetch('/v1/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: MODEL, prompt: PROMPT, ...body }),
    })
  const choicesOf = async (body: object): Promise<readonly Choice[]> =>
    ((await (await post(body)).json()) as { choices: Choice[] }).choices

  test('a prompt is one message of the user, and without a limit sixteen tokens are asked for', async () => {
    await post({ temperature: 0, user: 'u', seed: 3, top_k: 4, logit_bias: { 5: 1 } })
    const messages = [{ role: 'user', content: PROMPT }]
    expect(stub.chats[0]?.json).toMatchObject({
      messages,
      max_tokens: 16,
      temperature: 0,
      user: 'u',
      seed: 3,
      top_k: 4,
    })
    expect(Object.keys(stub.chats[0]?.json ?? {})).not.toContain('prompt')
    await post({ max_tokens: null, max_completion_tokens: 40 })
    expect(stub.chats[1]?.json).toMatchObject({ max_completion_tokens: 40 })
    expect(stub.chats[1]?.json).not.toHaveProperty('max_tokens')
  })

  test('echo puts the prompt before the text, whole and streamed', async () => {
    expect(await choicesOf({ echo: true })).toMatchObject([{ text: `${PROMPT}Hello` }])
    const streamed = await (await post({ echo: true, stream: true })).text()
    const pieces = [...streamed.matchAll(/"text":"([^"]*)"/g)].map(([, text]) => text)
    expect(pieces.join('')).toBe(`${PROMPT}Hello`)
    expect(streamed).toMatch(/"svc":\{[^\n]*\}\n\ndata: \[DONE\]\n\n$/)
  })

  test('logprobs are listed as this form lists them', async () => {
    const content = ['Hé', '!'].map((token, at) => {
      return { token, logprob: -0.5 - at, bytes: null, top_logprobs: [{ token, logprob: -0.5 - at, bytes: null }] }
    })
    stub.onChat = (call, response) => {
      expect(call.json).toMatchObject({ logprobs: true, top_logprobs: 1 })
      const choice = { index: 0, message: { role: 'assistant', content: 'Hé!' }, finish_reason: 'stop' }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ choices: [{ ...choice, logprobs: { content } }], usage }))
    }
    const logprobs = {
      ...{ tokens: ['Hé', '!'], token_logprobs: [-0.5, -1.5], text_offset: [0, 2] },
      top_logprobs: [{ Hé: -0.5 }, { '!': -1.5 }],
    }
    expect(await choicesOf({ logprobs: 1 })).toMatchObject([{ text: 'Hé!', logprobs }])
  })

  test('reasoning stands beside the text', async () => {
    stub.onChat = (_call, response) => sendCompletion(response, { message: { reasoning_content: 'I greet.' } })
    expect(await choicesOf({})).toMatchObject([{ text: 'Hello', reasoning: 'I greet.' }])
  })

  test.each([
    ['ids of tokens', { prompt: [15_496, 995] }, 'prompt', 'unsupported_parameter'],
    ['ids of several texts', { prompt: [[15_496], [995]] }, 'prompt', 'unsupported_parameter'],
    ['no prompt', { prompt: undefined }, 'prompt', 'missing_required_parameter'],
    ['a list without prompts', { prompt: [] }, 'prompt', 'empty_content'],
    ['an empty prompt', { prompt: '' }, 'prompt', 'empty_content'],
    ['an empty prompt among others', { prompt: ['Hi', ' '] }, 'prompt', 'empty_content'],
    ['too many prompts', { prompt: Array.from({ length: 33 }, () => 'x') }, 'prompt', 'invalid_value'],
    ['many fields for each prompt', { prompt: ['a', 'b'], more: 'x'.repeat(70_000) }, 'prompt', 'invalid_value'],
    ['a suffix', { suffix: ' the end' }, 'suffix', 'unsupported_parameter'],
    ['more answers than are returned', { best_of: 3, n: 2 }, 'best_of', 'unsupported_parameter'],
    ['the prompt’s own logprobs', { echo: true, logprobs: 0 }, 'logprobs', 'unsupported_parameter'],
    ['too many logprobs', { logprobs: 21 }, 'logprobs', 'invalid_value'],
    ['tools', { tools: [{ type: 'function', function: { name: 'a' } }] }, 'tools', 'unsupported_parameter'],
    ['messages', { messages: [{ role: 'user', content: 'x' }] }, 'messages', 'unsupported_parameter'],
    ['a limit of none', { max_tokens: 0 }, 'max_tokens', 'invalid_value'],
    ['a limit that is no number', { max_completion_tokens: 'x' }, 'max_completion_tokens', 'invalid_value'],
  ])('%s are refused by name', async (_what, body, param, code) => {
    const response = await post(body)
    expect([response.status, await errorOf(response)]).toEqual([400, expect.objectContaining({ param, code })])
    expect(stub.chats).toEqual([])
  })

  test('what asks for nothing is taken', async () => {
    const nothing = { suffix: '', best_of: 1, echo: false, logprobs: false, n: null, stop: null, tools: null }
    expect((await post(nothing)).status).toBe(200)
    for (const name of ['suffix', 'best_of', 'echo', 'tools']) expect(stub.chats[0]?.json).not.toHaveProperty(name)
  })

  test('several prompts are chats of their own at one charge, in their order', async () => {
    const prompts = ['a', 'b', 'c', 'd', 'e', 'f']
    stub.onChat = ({ json }, response) =>
      sendCompletion(response, {
        text: promptOf(json).toUpperCase(),
        usage: { prompt_tokens: 7, completion_tokens: 3 },
      })
    const { result, charge } = await chargeOf(gateway, async () => post({ prompt: prompts, echo: true, max_tokens: 9 }))
    const answer = (await result.json()) as { choices: Choice[]; usage: object }
    expect(answer.choices).toMatchObject(prompts.map((each, index) => ({ index, text: each + each.toUpperCase() })))
    expect(answer.usage).toMatchObject({ prompt_tokens: 42, completion_tokens: 18, total_tokens: 60 })
    expect([nanocreditsIn(answer), charge]).toEqual([cardOf(42, 18), cardOf(42, 18)])
    expect(stub.chats.every(({ json }) => json?.['stream'] !== true)).toBe(true)
  })

  test('the sources of several prompts stand beside their texts, and what made all of them is named', async () => {
    let made = 0
    stub.onChat = ({ json }, response) => {
      const citations = promptOf(json) === 'c' ? {} : { citations: [`https://example.com/${promptOf(json)}`] }
      const message = { role: 'assistant', content: 'As they say [1].' }
      const answer = { choices: [{ index: 0, message, finish_reason: 'stop' }], usage, ...citations }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ ...answer, system_fingerprint: made++ < 4 ? 'fp_1' : 'fp_2' }))
    }
    const ask = async (prompt: string | string[]) =>
      (await (await post({ prompt })).json()) as {
        choices: (Choice & { citations?: string[] })[]
        citations?: string[]
      }
    const one = await ask('a')
    expect(one).toMatchObject({ citations: ['https://example.com/a'], system_fingerprint: 'fp_1' })
    const joined = await ask(['a', 'b', 'c'])
    expect(joined.choices.map(({ citations }) => citations)).toEqual([
      ['https://example.com/a'],
      ['https://example.com/b'],
      undefined,
    ])
    expect(joined).toMatchObject({ system_fingerprint: 'fp_1' })
    expect(joined).not.toHaveProperty('citations')
    made = 3
    expect(await ask(['a', 'b'])).not.toHaveProperty('system_fingerprint')
  })

  test('several prompts with several choices each are numbered through', async () => {
    stub.onChat = ({ json }, response) => {
      const choices = [0, 1].map((index) => {
        return { index, message: { role: 'assistant', content: `${promptOf(json)}${index}` }, finish_reason: 'stop' }
      })
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ choices, usage }))
    }
    const choices = await choicesOf({ prompt: ['a', 'b'], n: 2, echo: true })
    expect(choices.map(({ index, text }) => [index, text])).toEqual([
      [0, 'aa0'],
      [1, 'aa1'],
      [2, 'bb0'],
      [3, 'bb1'],
    ])
  })

  test.each([false, true])('several prompts as a stream end like one (usage: %s)', async (includesUsage) => {
    const { result, charge } = await chargeOf(gateway, async () => {
      const more = includesUsage ? { stream_options: { include_usage: true } } : {}
      return (await post({ prompt: ['a', 'b'], stream: true, ...more })).text()
    })
    const events = result.split('\n\n').flatMap((event) => (event.startsWith('data: {') ? [event.slice(6)] : []))
    const chunks = events.map((event) => JSON.parse(event) as { choices: Choice[]; usage?: object | null })
    expect(chunks.flatMap(({ choices }) => choices.map(({ index, text }) => [index, text]))).toEqual([
      [0, 'Hello'],
      [1, 'Hello'],
    ])
    expect(result.endsWith('data: [DONE]\n\n')).toBe(true)
    expect([nanocreditsIn(chunks.at(-1)), charge]).toEqual([cardOf(20, 10), cardOf(20, 10)])
    const counted = includesUsage ? { prompt_tokens: 20, completion_tokens: 10 } : undefined
    expect(chunks.at(-1)?.usage).toEqual(counted === undefined ? undefined : expect.objectContaining(counted))
  })

  test('where one of several prompts fails all are free, and no more are asked for', async () => {
    stub.onChat = ({ json }, response) => {
      if (promptOf(json) !== 'b') return sendCompletion(response)
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end('{"error":{"message":"no","code":"content_policy_violation"}}')
    }
    const prompt = Array.from({ length: 20 }, (_none, at) => (at === 1 ? 'b' : 'a'))
    const { result, charge } = await chargeOf(gateway, () => post({ prompt }))
    expect([result.status, charge]).toEqual([400, 0n])
    expect(stub.chats.length).toBeLessThan(10)
    expect(await lastBooked(gateway)).toMatchObject({ charge: 0n, status: 'error' })
  })

  test('each prompt is held for: credits for one do not pay for two', async () => {
    const held: bigint[] = []
    stub.onChat = async (_call, response) => {
      held.push((await gateway.balance()).held)
      sendCompletion(response)
    }
    for (const prompt of ['x', ['x', 'x']]) expect((await post({ prompt, max_tokens: 100 })).status).toBe(200)
    const [one = 0n, two = 0n] = held
    expect([one > 0n, two]).toEqual([true, 2n * one])

    const { accountId, teamId } = await createTestAccount(gateway.gateway, '0')
    const { rawKey: key } = await gateway.createKey({ accountId, teamId })
    const amount = one as never
    await gateway.gateway.ledger.submit({
      ...{ kind: 'credit', source: 'grant', transferId: 'nearly', accountId, amount, reason: 'test', now: Date.now() },
    })
    const ask = (prompt: unknown) =>
      gateway.fetch('/v1/completions', {
        ...{ method: 'POST', headers: { 'content-type': 'application/json' }, key },
        body: JSON.stringify({ model: MODEL, prompt, max_tokens: 100 }),
      })
    const refused = await ask(['x', 'x'])
    expect([refused.status, (await errorOf(refused)).code]).toEqual([402, 'insufficient_credits'])
    expect((await ask('x')).status).toBe(200)
  })

  test('a client that leaves while several prompts are answered pays for all of them once', async () => {
    const [arrived, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    stub.onChat = async (_call, response) => {
      arrived.resolve()
      await gate.promise
      sendCompletion(response)
    }
    const { charge } = await chargeOf(gateway, async () => {
      const leaving = new AbortController()
      const body = JSON.stringify({ model: MODEL, prompt: ['a', 'b', 'c'] })
      const headers = { 'content-type': 'application/json' }
      const asked = gateway.fetch('/v1/completions', { method: 'POST', headers, body, signal: leaving.signal })
      await arrived.promise
      leaving.abort()
      await expect(asked).rejects.toThrow(/abort/)
      gate.resolve()
    })
    expect([charge, stub.chats.length]).toEqual([cardOf(30, 15), 3])
    expect(await lastBooked(gateway)).toMatchObject({ charge, status: 'ok' })
  })

  test('an Idempotency-Key gives the same texts again, whole and streamed, at one charge', async () => {
    for (const more of [{ prompt: ['a', 'b'] }, { prompt: ['a', 'b'], stream: true }, { stream: true }]) {
      const name = { 'idempotency-key': `completion-${JSON.stringify(more).length}` }
      const { result } = await chargeOf(gateway, async () => textOf(await post(more, name)))
      const { result: again, charge } = await chargeOf(gateway, () => post(more, name))
      expect([await textOf(again), again.headers.get('idempotent-replayed'), charge]).toEqual([result, 'true', 0n])
    }
  })

  test('a stream that fails in its middle ends with its error', async () => {
    stub.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ content: 'Hel' }))
      sendEvent(response, '{"error":{"message":"boom","code":500}}')
      response.end()
    }
    const text = await (await post({ stream: true })).text()
    expect(text).toContain('"text":"Hel"')
    expect(text).toMatch(/data: \{"error":\{[^\n]*"code":"upstream_error"[^\n]*\n\ndata: \[DONE\]\n\n$/)
  })
})
