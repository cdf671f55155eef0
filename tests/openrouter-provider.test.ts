/** The AI SDK's provider for OpenRouter, unmodified, against a whole gateway. */
import { createOpenRouter, type OpenRouterChatSettings } from '@openrouter/ai-sdk-provider'
import { APICallError, generateText, isStepCount, type LanguageModel, Output, streamText, tool } from 'ai'
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
import { cardOf, chargeOf, chatStatuses, failureOf, nanocreditsIn } from './charge-of.ts'

function chatModel(gateway: TestGateway, settings: OpenRouterChatSettings = {}, id = 'svc-gpt'): LanguageModel {
  return createOpenRouter({ baseURL: gateway.v1, apiKey: gateway.key }).chat(id, settings)
}

/** The cost that the provider reports, in nanocredits: a US dollar is a thousand credits. */
function costIn(metadata: unknown): bigint {
  const { cost } = z.object({ openrouter: z.object({ usage: z.object({ cost: z.number() }) }) }).parse(metadata)
    .openrouter.usage
  return BigInt(Math.round(cost * 1e12))
}

const prompt = 'Say hello.'
const recipe = z.object({ name: z.string(), minutes: z.int().min(1), steps: z.array(z.string()).min(1) })

/** The ways in which this provider asks for usage in streams. */
const waysToAsk = [
  {
    way: 'strict compatibility',
    model: (gateway: TestGateway) =>
      createOpenRouter({ baseURL: gateway.v1, apiKey: gateway.key, compatibility: 'strict' }).chat('svc-gpt'),
  },
  { way: 'usage.include', model: (gateway: TestGateway) => chatModel(gateway, { usage: { include: true } }) },
]

describe('with the sandbox', () => {
  const gateway = useGateway()

  test('a whole answer has its usage, its cost and its charge', async () => {
    const { result, charge } = await chargeOf(gateway, () =>
      generateText({ model: chatModel(gateway), prompt, include: { responseBody: true } }),
    )
    expect(result.text).toContain('sandbox')
    expect(charge).toBe(cardOf(result.usage.inputTokens, result.usage.outputTokens))
    expect(costIn(result.providerMetadata)).toBe(charge)
    expect(nanocreditsIn(result.response.body)).toBe(charge)
  })

  test.each(waysToAsk)('a stream that asks by $way has its usage, its cost and its charge', async ({ model }) => {
    const { result, charge } = await chargeOf(gateway, async () => {
      const stream = streamText({ model: model(gateway), prompt, include: { rawChunks: true } })
      const frames: unknown[] = []
      const errors: unknown[] = []
      for await (const part of stream.fullStream) {
        if (part.type === 'raw') frames.push(part.rawValue)
        if (part.type === 'error') errors.push(part.error)
      }
      return { frames, errors, text: await stream.text, usage: await stream.usage, step: await stream.finalStep }
    })
    expect(result.errors).toEqual([])
    expect(result.text).toContain('sandbox')
    expect(charge).toBe(cardOf(result.usage.inputTokens, result.usage.outputTokens))
    expect(costIn(result.step.providerMetadata)).toBe(charge)
    expect(nanocreditsIn(result.frames.at(-1))).toBe(charge)
  })

  test('a stream that asks for no usage ends well', async () => {
    const { result, charge } = await chargeOf(gateway, async () => {
      const stream = streamText({ model: chatModel(gateway), prompt, include: { rawChunks: true } })
      const frames: unknown[] = []
      for await (const part of stream.fullStream) if (part.type === 'raw') frames.push(part.rawValue)
      return { frames, finishReason: await stream.finishReason }
    })
    expect(result.finishReason).toBe('stop')
    expect(nanocreditsIn(result.frames.at(-1))).toBe(charge)
  })

  test.each([{ way: 'whole' }, { way: 'streamed' }])('reasoning is apart from the text, $way', async ({ way }) => {
    const model = chatModel(gateway, { reasoning: { effort: 'high' }, usage: { include: true } })
    const { result, charge } = await chargeOf(gateway, async () => {
      const run = way === 'whole' ? await generateText({ model, prompt }) : streamText({ model, prompt })
      return { step: way === 'whole' ? (await run.steps).at(-1) : await run.finalStep, usage: await run.usage }
    })
    expect(result.step?.reasoningText).toMatch(/\w/)
    expect(result.step?.text).toContain('sandbox')
    expect(result.step?.text).not.toContain(result.step?.reasoningText)
    expect(result.usage.outputTokenDetails.reasoningTokens).toBeGreaterThan(0)
    expect(charge).toBe(cardOf(result.usage.inputTokens, result.usage.outputTokens))
  })

  test.each([{ way: 'whole' }, { way: 'streamed' }])('tools run until there is an answer, $way', async ({ way }) => {
    const settings = {
      model: chatModel(gateway, { usage: { include: true }, reasoning: { effort: 'low' } }),
      prompt: 'Call get_weather.',
      stopWhen: isStepCount(4),
      tools: {
        get_weather: tool({
          description: 'Weather of a city.',
          inputSchema: z.object({ city: z.string().min(1), days: z.int().min(1).max(7) }),
          execute: () => 'Storm, 10 degrees.',
        }),
      },
    }
    const { result, charge } = await chargeOf(gateway, async () => {
      const run = way === 'whole' ? await generateText(settings) : streamText(settings)
      return { text: await run.text, steps: await run.steps }
    })
    expect(result.text).toContain('Storm, 10 degrees.')
    expect(result.steps).toHaveLength(2)
    expect(result.steps.map((step) => costIn(step.providerMetadata)).reduce((left, right) => left + right)).toBe(charge)
  })

  test('an object follows its schema', async () => {
    const output = Output.object({ schema: recipe })
    expect(recipe.safeParse((await generateText({ model: chatModel(gateway), prompt, output })).output).success).toBe(
      true,
    )
  })
})

describe('with an upstream that does what the test says', () => {
  const stub = useStubUpstream()
  const gateway = useGateway(() => ({ upstreamUrl: stub.url, credits: '1000' }))
  let before: number

  const attempts = (): number[] => chatStatuses(gateway).slice(before)

  beforeEach(() => {
    before = chatStatuses(gateway).length
  })

  test.each(waysToAsk)(
    'the cost that a client sees is its charge and not the upstream’s, by $way',
    async ({ model }) => {
      const cost = '0.0015'
      const usage = { prompt_tokens: 10, completion_tokens: 5, cost_details: { upstream_inference_cost: 0.0014 } }
      stub.onChat = (call, response) =>
        call.json?.['stream'] === true
          ? sendStream(response, { cost, usage })
          : sendCompletion(response, { cost, usage })
      const whole = await chargeOf(gateway, () => generateText({ model: model(gateway), prompt }))
      expect([whole.charge, costIn(whole.result.providerMetadata)]).toEqual([1_800_000_000n, 1_800_000_000n])
      const streamed = await chargeOf(
        gateway,
        async () => await streamText({ model: model(gateway), prompt }).finalStep,
      )
      expect([streamed.charge, costIn(streamed.result.providerMetadata)]).toEqual([1_800_000_000n, 1_800_000_000n])
      expect(JSON.stringify([whole.result.providerMetadata, streamed.result.providerMetadata])).not.toContain('0.0014')
    },
  )

  test('402 is one attempt and says what is missing', async () => {
    const { result: error, charge } = await chargeOf(gateway, () =>
      failureOf(
        generateText({ model: chatModel(gateway, {}, 'openai/gpt-6-astra'), prompt, maxOutputTokens: 100_000 }),
      ),
    )
    if (!APICallError.isInstance(error)) throw error
    expect(error).toMatchObject({ statusCode: 402, isRetryable: false })
    expect(JSON.parse(error.responseBody ?? '').error).toMatchObject({
      code: 'insufficient_credits',
      credits_short: expect.any(Number),
      topup_url: expect.stringMatching(/^http/),
    })
    await expect.poll(attempts).toEqual([402])
    expect(charge).toBe(0n)
  })

  test('a stream that fails in its middle has an error part and is free', async () => {
    stub.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ role: 'assistant', content: 'Hello' }))
      sendEvent(response, chunkText({ content: '' }, 'error', { error: { code: 502, message: 'The provider broke' } }))
      response.end()
    }
    const { result: errors, charge } = await chargeOf(gateway, async () => {
      const found: unknown[] = []
      const stream = streamText({ model: chatModel(gateway), prompt, onError: () => undefined, maxRetries: 0 })
      for await (const part of stream.fullStream) if (part.type === 'error') found.push(part.error)
      return found
    })
    expect(errors).toEqual([expect.objectContaining({ code: 'upstream_error' })])
    expect(charge).toBe(0n)
  })
})
