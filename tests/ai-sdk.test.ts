/** The AI SDK, unmodified, with both of its OpenAI-shaped providers, against a whole gateway. */
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible, type MetadataExtractor } from '@ai-sdk/openai-compatible'
import { APICallError, generateText, isStepCount, type LanguageModel, Output, streamText, tool } from 'ai'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  beginStream,
  chunkText,
  sendCompletion,
  sendEvent,
  sendStream,
  startStubUpstream,
} from '../packages/server/testing/stub-upstream.ts'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { cardOf, chargeOf, chatStatuses, failureOf, lastRecord, nanocreditsIn, svcOf } from './charge-of.ts'

type Provider = (gateway: TestGateway, id?: string) => LanguageModel

const compatible: Provider = (gateway, id = 'svc-gpt') =>
  createOpenAICompatible({
    name: 'svc',
    baseURL: gateway.v1,
    apiKey: gateway.key,
    includeUsage: true,
    supportsStructuredOutputs: true,
  })(id)

const openai: Provider = (gateway, id = 'svc-gpt') =>
  createOpenAI({ baseURL: `${gateway.v1}/`, apiKey: gateway.key }).chat(id)

const providers = [
  { name: '@ai-sdk/openai-compatible', provider: compatible },
  { name: '@ai-sdk/openai', provider: openai },
]

const prompt = 'Say hello.'

/** A red pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==',
  'base64',
)

const recipe = z.object({ name: z.string(), minutes: z.int().min(1), steps: z.array(z.string()).min(1) })

interface StreamedText {
  readonly text: string
  /** Kinds of the parts, in order. */
  readonly kinds: readonly string[]
  readonly errors: readonly unknown[]
  /** What the provider was sent, frame by frame. */
  readonly frames: readonly unknown[]
}

/** Reads a result to its end. `streamText` reports failures as parts and rejects nothing. */
async function readParts(parts: AsyncIterable<{ readonly type: string }>): Promise<StreamedText> {
  const kinds: string[] = []
  const errors: unknown[] = []
  const frames: unknown[] = []
  let text = ''
  for await (const part of parts) {
    kinds.push(part.type)
    if (part.type === 'text-delta' && 'text' in part) text += String(part.text)
    if (part.type === 'error' && 'error' in part) errors.push(part.error)
    if (part.type === 'raw' && 'rawValue' in part) frames.push(part.rawValue)
  }
  return { text, kinds, errors, frames }
}

const onError = (): void => undefined

describe.each(providers)('$name with the sandbox', ({ provider }) => {
  const gateway = useGateway()
  let model: LanguageModel

  beforeAll(() => {
    model = provider(gateway)
  })

  test('a whole answer has its usage, and its charge in the body', async () => {
    const { result, charge } = await chargeOf(gateway, () =>
      generateText({ model, prompt, include: { responseBody: true } }),
    )
    expect(result.text).toContain('sandbox')
    expect(result.finishReason).toBe('stop')
    expect(nanocreditsIn(result.response.body)).toBe(charge)
    expect(charge).toBe(cardOf(result.usage.inputTokens, result.usage.outputTokens))
    expect(result.response.headers?.['x-svc-credits-charged']).toBe(String(svcOf(result.response.body).credits_charged))
  })

  test('a stream has text, usage and no error, and its charge on its last frame', async () => {
    const { result, charge } = await chargeOf(gateway, async () => {
      const stream = streamText({ model, prompt, include: { rawChunks: true } })
      const read = await readParts(stream.fullStream)
      return { ...read, usage: await stream.usage, finishReason: await stream.finishReason }
    })
    expect(result.text).toContain('sandbox')
    expect(result.errors).toEqual([])
    expect(result.finishReason).toBe('stop')
    expect(charge).toBe(cardOf(result.usage.inputTokens, result.usage.outputTokens))
    expect(nanocreditsIn(result.frames.at(-1))).toBe(charge)
    expect(result.frames.filter((frame) => 'svc' in Object(frame))).toHaveLength(1)
  })

  test.each([{ way: 'whole' }, { way: 'streamed' }])('tools run until there is an answer, $way', async ({ way }) => {
    const given: unknown[] = []
    const settings = {
      model,
      prompt: 'Call get_weather.',
      stopWhen: isStepCount(4),
      tools: {
        get_weather: tool({
          description: 'Weather of a city.',
          inputSchema: z.object({ city: z.string().min(1), days: z.int().min(1).max(7) }),
          execute: (input) => {
            given.push(input)
            return 'Hail, 4 degrees.'
          },
        }),
      },
    }
    const { result, charge } = await chargeOf(gateway, async () => {
      const run = way === 'whole' ? await generateText(settings) : streamText(settings)
      return { text: await run.text, steps: await run.steps, usage: await run.totalUsage }
    })
    expect(given).toHaveLength(1)
    expect(result.text).toContain('Hail, 4 degrees.')
    expect(result.steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop'])
    expect(charge).toBe(cardOf(result.usage.inputTokens, result.usage.outputTokens))
  })

  test('an object follows its schema, whole and streamed', async () => {
    const output = Output.object({ schema: recipe })
    const { result, charge } = await chargeOf(gateway, () => generateText({ model, prompt, output }))
    expect(recipe.safeParse(result.output).success).toBe(true)
    expect(charge).toBe(cardOf(result.usage.inputTokens, result.usage.outputTokens))
    const streamed = streamText({ model, prompt, output })
    expect(recipe.safeParse(await streamed.output).success).toBe(true)
  })

  test('a message may hold an image', async () => {
    const { text } = await generateText({
      model,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'file', data: PIXEL, mediaType: 'image/png' },
          ],
        },
      ],
    })
    expect(text).toContain('image/png')
  })
})

describe.each(providers)('$name with an upstream that does what the test says', ({ provider }) => {
  const stub = useStubUpstream()
  const gateway = useGateway(() => ({ upstreamUrl: stub.url, credits: '1000' }))
  let dear: LanguageModel
  let model: LanguageModel
  let before: { readonly gateway: number; readonly upstream: number }

  const attempts = (): number[] => chatStatuses(gateway).slice(before.gateway)

  beforeAll(() => {
    dear = provider(gateway, 'openai/gpt-6-astra')
    model = provider(gateway)
  })
  beforeEach(() => {
    before = { gateway: chatStatuses(gateway).length, upstream: stub.chats.length }
  })

  test('counts of tokens come through with their parts', async () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 50,
      prompt_tokens_details: { cached_tokens: 40 },
      completion_tokens_details: { reasoning_tokens: 30 },
    }
    stub.onChat = (call, response) =>
      call.json?.['stream'] === true ? sendStream(response, { usage }) : sendCompletion(response, { usage })
    const expected = { inputTokens: 100, outputTokens: 50, totalTokens: 150 }
    const whole = await chargeOf(gateway, () => generateText({ model, prompt }))
    expect(whole.result.usage).toMatchObject(expected)
    expect(whole.result.usage.inputTokenDetails.cacheReadTokens).toBe(40)
    expect(whole.result.usage.outputTokenDetails.reasoningTokens).toBe(30)
    const streamed = await chargeOf(gateway, async () => await streamText({ model, prompt }).usage)
    expect(streamed.result).toMatchObject(expected)
    expect(streamed.result.outputTokenDetails.reasoningTokens).toBe(30)
    expect([whole.charge, streamed.charge]).toEqual([cardOf(100, 50), cardOf(100, 50)])
  })

  test('402 is one attempt and says what is missing', async () => {
    const { result: error, charge } = await chargeOf(gateway, () =>
      failureOf(generateText({ model: dear, prompt, maxOutputTokens: 100_000 })),
    )
    if (!APICallError.isInstance(error)) throw error
    expect(error).toMatchObject({ statusCode: 402, isRetryable: false })
    expect(error.message).toContain('Insufficient credits')
    expect(JSON.parse(error.responseBody ?? '').error).toMatchObject({
      code: 'insufficient_credits',
      credits_available: 1000 - Number(2n * cardOf(100, 50)) / 1e9,
      credits_required: expect.any(Number),
      affordable_max_tokens: expect.any(Number),
      topup_url: expect.stringMatching(/^http/),
    })
    await expect.poll(attempts).toEqual([402])
    expect([charge, stub.chats.length]).toEqual([0n, before.upstream])
  })

  test('402 of a stream is an error part with its status', async () => {
    const read = await readParts(streamText({ model: dear, prompt, maxOutputTokens: 100_000, onError }).fullStream)
    expect(read.errors).toHaveLength(1)
    expect(read.errors[0]).toMatchObject({ statusCode: 402 })
    await expect.poll(attempts).toEqual([402])
  })

  test('a failure of the upstream is tried again, and only the answer is charged', async () => {
    stub.onChat = (_call, response) => {
      if (stub.chats.length - before.upstream > 1) return sendCompletion(response)
      response.writeHead(503, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { code: 503, message: 'busy' } }))
    }
    const { result, charge } = await chargeOf(gateway, () => generateText({ model, prompt }))
    expect(result.text).toBe('Hello')
    expect(charge).toBe(cardOf(10, 5))
    await expect.poll(attempts).toEqual([503, 200])
  })

  test('a stream that fails in its middle has one error part, no second attempt, and is free', async () => {
    stub.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ role: 'assistant', content: 'Hello' }))
      sendEvent(response, chunkText({ content: '' }, 'error', { error: { code: 502, message: 'The provider broke' } }))
      response.end()
    }
    const { result, charge } = await chargeOf(gateway, () =>
      readParts(streamText({ model, prompt, onError, maxRetries: 0 }).fullStream),
    )
    expect(result.text).toBe('Hello')
    expect(result.errors).toEqual([expect.objectContaining({ code: 'upstream_error' })])
    expect([charge, stub.chats.length]).toEqual([0n, before.upstream + 1])
  })

  test('an abort stops the upstream, and what was delivered is charged', async () => {
    stub.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ role: 'assistant', content: 'x'.repeat(40) }))
    }
    const abort = new AbortController()
    const { charge } = await chargeOf(gateway, async () => {
      const stream = streamText({ model, prompt, abortSignal: abort.signal, onError })
      for await (const part of stream.fullStream) if (part.type === 'text-delta') abort.abort()
      await stub.chats.at(-1)?.closed
    })
    // 40 bytes are 10 tokens, at four bytes each.
    const record = await lastRecord(gateway)
    expect(record).toMatchObject({ status: 'cancelled', estimated: true, completion_tokens: 10 })
    expect(charge).toBe(cardOf(record.prompt_tokens, 10))
    await expect.poll(attempts).toEqual([499])
  })
})

function chargeExtractor(): MetadataExtractor {
  return {
    extractMetadata: ({ parsedBody }) => Promise.resolve({ svc: svcOf(parsedBody) as Record<string, number> }),
    createStreamExtractor: () => {
      let svc: Record<string, number> | undefined
      return {
        processChunk: (chunk) => {
          if ('svc' in Object(chunk)) svc = svcOf(chunk) as Record<string, number>
        },
        buildMetadata: () => (svc === undefined ? undefined : { svc }),
      }
    },
  }
}

test('a metadata extractor finds the charge, whole and streamed', async () => {
  const stub = await startStubUpstream()
  const gateway = await startTestGateway({ upstreamUrl: stub.url })
  const { v1: baseURL, key: apiKey } = gateway
  const metadataExtractor = chargeExtractor()
  const model = createOpenAICompatible({ name: 'svc', baseURL, apiKey, metadataExtractor })('svc-gpt')
  const { providerMetadata } = await generateText({ model, prompt })
  expect(providerMetadata?.['svc']).toMatchObject({ credits_charged: 0.00042 })
  const streamed = streamText({ model, prompt })
  expect(await streamed.text).toBe('Hello world')
  expect((await streamed.finalStep).providerMetadata?.['svc']).toMatchObject({ credits_charged: 0.00042 })
  await gateway.stop()
  await stub.close()
})

test.each([{ way: 'whole' }, { way: 'streamed' }])('reasoning is apart from the text, $way', async ({ way }) => {
  const gateway = await startTestGateway()
  const settings = { model: compatible(gateway), prompt, providerOptions: { svc: { reasoningEffort: 'high' } } }
  const run = way === 'whole' ? await generateText(settings) : streamText(settings)
  const step = way === 'whole' ? (await run.steps).at(-1) : await run.finalStep
  expect(step?.reasoningText).toMatch(/\w/)
  expect(step?.text).toContain('sandbox')
  expect(step?.usage.outputTokenDetails.reasoningTokens).toBeGreaterThan(0)
  await gateway.stop()
})
