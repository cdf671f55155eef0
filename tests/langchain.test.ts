/** LangChain, unmodified, against a whole gateway. */
import {
  AIMessage,
  type AIMessageChunk,
  HumanMessage,
  type ToolMessage,
  type UsageMetadata,
} from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI, type ChatOpenAIFields } from '@langchain/openai'
import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  beginStream,
  chunkText,
  sendCompletion,
  sendEvent,
  sendStream,
} from '../packages/server/testing/stub-upstream.ts'
import type { TestGateway } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { arrivals, cardOf, chargeOf, chatStatuses, failureOf, lastRecord, nanocreditsIn } from './charge-of.ts'

function chatModel(gateway: TestGateway, fields: ChatOpenAIFields = {}): ChatOpenAI {
  return new ChatOpenAI({ model: 'svc-gpt', apiKey: gateway.key, configuration: { baseURL: gateway.v1 }, ...fields })
}

/** Joins a stream as programs do: by adding its chunks up. */
async function joined(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | null = null
  for await (const chunk of stream) whole = whole === null ? chunk : whole.concat(chunk)
  if (whole === null) throw new Error('the stream was empty')
  return whole
}

/** Charge by the tokens that LangChain counts, in nanocredits. */
function chargeBy(message: { readonly usage_metadata?: UsageMetadata | undefined }): bigint {
  return cardOf(usageOf(message)?.input_tokens, usageOf(message)?.output_tokens)
}

/** What LangChain counted. Its own type is lost where structures of messages are generic. */
function usageOf(message: { readonly usage_metadata?: UsageMetadata | undefined }): UsageMetadata | undefined {
  return message.usage_metadata
}

const prompt = 'Say hello.'
const weatherInput = z.object({ city: z.string().min(1), days: z.int().min(1).max(7) })
const weather = tool(() => 'Fog, 8 degrees.', {
  name: 'get_weather',
  description: 'Weather of a city.',
  schema: weatherInput,
})
const recipe = z.object({ name: z.string(), minutes: z.int().min(1), steps: z.array(z.string()).min(1) })

describe('with the sandbox', () => {
  const gateway = useGateway()

  test('a whole answer has its usage, and its charge in the raw response', async () => {
    const model = chatModel(gateway, { __includeRawResponse: true })
    const { result, charge } = await chargeOf(gateway, () => model.invoke(prompt))
    expect(result.text).toContain('sandbox')
    expect(nanocreditsIn(result.additional_kwargs['__raw_response'])).toBe(charge)
    expect(charge).toBe(chargeBy(result))
    expect(result.response_metadata).toMatchObject({ model_name: 'svc-gpt', finish_reason: 'stop' })
  })

  test('a stream counts its usage once, and its cost is the charge in US dollars', async () => {
    const { result, charge } = await chargeOf(gateway, async () => joined(await chatModel(gateway).stream(prompt)))
    expect(result.text).toContain('sandbox')
    expect(chargeBy(result)).toBe(charge)
    const usage = Object(result.response_metadata['usage'])
    expect(Math.round(usage.cost * 1e12)).toBe(Number(charge))
  })

  test('a stream without usage has its charge in the raw response of its last chunk', async () => {
    const model = chatModel(gateway, { streamUsage: false, __includeRawResponse: true })
    const { result: chunks, charge } = await chargeOf(gateway, async () => {
      const read: AIMessageChunk[] = []
      for await (const chunk of await model.stream(prompt)) read.push(chunk)
      return read
    })
    const frames = chunks.map((chunk) => chunk.additional_kwargs['__raw_response'])
    expect(frames.filter((frame) => 'svc' in Object(frame)).map(nanocreditsIn)).toEqual([charge])
  })

  test.each([{ way: 'whole' }, { way: 'streamed' }])(
    'a tool is called and its result answered, $way',
    async ({ way }) => {
      const model = chatModel(gateway).bindTools([weather])
      const ask = async (messages: (AIMessage | HumanMessage | ToolMessage)[]) =>
        way === 'whole' ? model.invoke(messages) : joined(await model.stream(messages))
      const question = new HumanMessage('Call get_weather.')
      const { result, charge } = await chargeOf(gateway, async () => {
        const call = await ask([question])
        const answered = await weather.invoke(call.tool_calls![0]!)
        return { call, answer: await ask([question, call, answered]) }
      })
      expect(result.call.tool_calls).toHaveLength(1)
      weatherInput.parse(result.call.tool_calls?.[0]?.args)
      expect(result.answer.text).toContain('Fog, 8 degrees.')
      expect(charge).toBe(chargeBy(result.call) + chargeBy(result.answer))
    },
  )

  test.each([
    { method: 'jsonSchema' as const },
    { method: 'functionCalling' as const },
    { method: 'jsonMode' as const },
  ])('structured output by $method', async ({ method }) => {
    const schema = method === 'jsonMode' ? z.looseObject({}) : recipe
    const model = chatModel(gateway).withStructuredOutput(schema, { name: 'recipe', method, includeRaw: true })
    const { result, charge } = await chargeOf(gateway, () => model.invoke(prompt))
    expect(schema.safeParse(result.parsed).success).toBe(true)
    expect(AIMessage.isInstance(result.raw) && chargeBy(result.raw)).toBe(charge)
  })

  test.each([{ way: 'whole' }, { way: 'streamed' }])('reasoning is apart from the text, $way', async ({ way }) => {
    const model = chatModel(gateway, { modelKwargs: { reasoning_effort: 'high' } })
    const answer = way === 'whole' ? await model.invoke(prompt) : await joined(await model.stream(prompt))
    expect(answer.additional_kwargs['reasoning_content']).toMatch(/\w/)
    expect(answer.text).toContain('sandbox')
    expect(usageOf(answer)?.output_token_details?.reasoning).toBeGreaterThan(0)
  })

  test('a message may hold an image', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
    const message = new HumanMessage({ content: [{ type: 'text', text: 'What is this?' }, image] })
    expect((await chatModel(gateway).invoke([message])).text).toContain('image/png')
  })
})

describe('with an upstream that does what the test says', () => {
  const stub = useStubUpstream()
  const gateway = useGateway(() => ({
    upstreamUrl: stub.url,
    credits: '1000',
    file: { limits: { requests_per_minute: 120 } },
  }))
  let before: { readonly gateway: number; readonly upstream: number }

  const attempts = (): number[] => chatStatuses(gateway).slice(before.gateway)

  beforeEach(() => {
    stub.onChat = (call, response) => (call.json?.['stream'] === true ? sendStream(response) : sendCompletion(response))
    before = { gateway: chatStatuses(gateway).length, upstream: stub.chats.length }
  })

  test('usage that the upstream repeats on every chunk is counted once, in both of its places', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
    stub.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ role: 'assistant', content: 'Hello' }, null, { usage }))
      sendEvent(response, chunkText({ content: ' world' }, 'stop', { usage }))
      sendEvent(response, '[DONE]')
      response.end()
    }
    const { result, charge } = await chargeOf(gateway, async () => joined(await chatModel(gateway).stream(prompt)))
    expect(result.usage_metadata).toMatchObject({ input_tokens: 10, output_tokens: 5, total_tokens: 15 })
    expect(result.response_metadata).toMatchObject({ usage: { prompt_tokens: 10, completion_tokens: 5 } })
    expect(charge).toBe(cardOf(10, 5))
  })

  test('402 is one attempt and says what is missing', async () => {
    const { result: error, charge } = await chargeOf(gateway, () =>
      failureOf(chatModel(gateway, { model: 'openai/gpt-6-astra', maxTokens: 100_000 }).invoke(prompt)),
    )
    expect(error).toMatchObject({ status: 402, code: 'insufficient_credits' })
    expect(Reflect.get(Object(error), 'error')).toMatchObject({
      credits_required: expect.any(Number),
      credits_short: expect.any(Number),
      affordable_max_tokens: expect.any(Number),
      topup_url: expect.stringMatching(/^http/),
    })
    await expect.poll(attempts).toEqual([402])
    expect([charge, stub.chats.length]).toEqual([0n, before.upstream])
  })

  test('an unknown model is one attempt', async () => {
    const error = await failureOf(chatModel(gateway, { model: 'svc-nobody' }).invoke(prompt))
    expect(error).toMatchObject({ status: 404, code: 'model_not_found' })
    await expect.poll(attempts).toEqual([404])
  })

  test('429 is waited out and then answered', async () => {
    const { rawKey } = await gateway.createKey()
    for (let request = 0; request < 20; request += 1) await gateway.fetch('/v1/balance', { key: rawKey })
    const { result, charge } = await chargeOf(gateway, () => chatModel(gateway, { apiKey: rawKey }).invoke(prompt))
    expect(result.text).toBe('Hello')
    expect(charge).toBe(cardOf(10, 5))
    await expect.poll(attempts).toEqual([429, 200])
  })

  test('a failure of the upstream is tried again, and only the answer is charged', async () => {
    stub.onChat = (_call, response) => {
      if (stub.chats.length - before.upstream > 1) return sendCompletion(response)
      response.writeHead(500, { 'content-type': 'text/html' }).end('<html>broken</html>')
    }
    const { charge } = await chargeOf(gateway, () => chatModel(gateway).invoke(prompt))
    expect(charge).toBe(cardOf(10, 5))
    await expect.poll(attempts).toEqual([502, 200])
    expect(
      arrivals(gateway)
        .slice(-2)
        .map(({ retry }) => retry),
    ).toEqual(['0', '0'])
  })

  test('a stream that fails in its middle throws and is free', async () => {
    stub.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ role: 'assistant', content: 'Hello' }))
      sendEvent(response, JSON.stringify({ error: { code: 502, message: 'The provider broke' } }))
      response.end()
    }
    let text = ''
    const { result: error, charge } = await chargeOf(gateway, () =>
      failureOf(
        (async () => {
          for await (const chunk of await chatModel(gateway).stream(prompt)) text += chunk.text
        })(),
      ),
    )
    expect(text).toBe('Hello')
    expect(error).toMatchObject({ code: 'upstream_error' })
    expect([charge, stub.chats.length]).toEqual([0n, before.upstream + 1])
  })

  test('an abort stops the upstream, and what was delivered is charged', async () => {
    stub.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ role: 'assistant', content: 'x'.repeat(40) }))
    }
    const abort = new AbortController()
    const { charge } = await chargeOf(gateway, async () => {
      const stream = await chatModel(gateway).stream(prompt, { signal: abort.signal })
      await failureOf(
        (async () => {
          for await (const _chunk of stream) abort.abort()
        })(),
      )
      await stub.chats.at(-1)?.closed
    })
    // 40 bytes are 10 tokens, at four bytes each.
    const record = await lastRecord(gateway)
    expect(record).toMatchObject({ status: 'cancelled', estimated: true, completion_tokens: 10 })
    expect(charge).toBe(cardOf(record.prompt_tokens, 10))
  })
})
