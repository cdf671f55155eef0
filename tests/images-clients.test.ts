/** Clients that people use for images, unmodified, against a whole gateway. */
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createOpenRouter } from '@openrouter/ai-sdk-provider'
import { generateImage } from 'ai'
import OpenAI, { toFile } from 'openai'
import { beforeEach, describe, expect, test } from 'vitest'
import { onImages, IMAGE, sendImages, streamImage } from '../packages/server/testing/stub-images.ts'
import type { StubCall } from '../packages/server/testing/stub-upstream.ts'
import { startTestGateway } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { nanocreditsIn } from './charge-of.ts'

const stub = useStubUpstream()
const gateway = useGateway(() => ({ upstreamUrl: stub.url }))
let calls: StubCall[] = []

beforeEach(() => {
  const images = onImages((call, response) =>
    call.json?.['stream'] === true ? streamImage(response) : sendImages(response),
  )
  calls = images.calls
  stub.onOther = images.handle
})

const model = 'openrouter/x-ai/grok-imagine-image-2.0'
const prompt = 'A lighthouse in the fog'
const bytes = Buffer.from(IMAGE, 'base64')

describe('the OpenAI client', () => {
  const client = (): OpenAI => new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key })

  test('makes images', async () => {
    const images = await client().images.generate({ model, prompt, n: 1, size: '1024x1024' })
    expect(images.data?.[0]?.b64_json).toBe(IMAGE)
    expect(images.usage?.output_tokens).toBe(4_175)
    expect(nanocreditsIn(images)).toBe(48_000_000_000n)
  })

  test('gets an address where it asks for one', async () => {
    const images = await client().images.generate({ model, prompt, response_format: 'url' })
    expect(images.data?.[0]?.url).toContain('/api/v1/media/')
  })

  test('streams partial images', async () => {
    const stream = await client().images.generate({ model, prompt, stream: true, partial_images: 2 })
    const events: OpenAI.Images.ImageGenStreamEvent[] = []
    for await (const event of stream) events.push(event)
    expect(events.map(({ type }) => type)).toEqual([
      'image_generation.partial_image',
      'image_generation.partial_image',
      'image_generation.completed',
    ])
    expect(nanocreditsIn(events.at(-1))).toBe(48_000_000_000n)
  })

  test('changes one image, and several', async () => {
    const image = (name: string) => toFile(bytes, name, { type: 'image/png' })
    const one = await client().images.edit({ model, prompt, image: await image('one.png') })
    expect(one.data?.[0]?.b64_json).toBe(IMAGE)
    await client().images.edit({ model, prompt, image: [await image('one.png'), await image('two.png')] })
    expect(calls.map(({ json }) => Object(json?.['input_references']).length)).toEqual([1, 2])
  })

  test('streams a changed image', async () => {
    const image = await toFile(bytes, 'one.png', { type: 'image/png' })
    const stream = await client().images.edit({ model, prompt, image, stream: true, partial_images: 1 })
    const types: string[] = []
    for await (const { type } of stream) types.push(type)
    expect(types.at(-1)).toBe('image_edit.completed')
  })

  test('says what is needed when the credits are too few', async () => {
    const poor = await startTestGateway({ upstreamUrl: stub.url, credits: '1' })
    try {
      const failure = await new OpenAI({ baseURL: poor.v1, apiKey: poor.key, maxRetries: 0 }).images
        .generate({ model, prompt })
        .then(
          () => null,
          (error: unknown) => error,
        )
      expect(failure).toBeInstanceOf(OpenAI.APIError)
      expect(failure).toMatchObject({ status: 402, error: { credits_required: 72, affordable_images: 0 } })
    } finally {
      await poor.stop()
    }
  })
})

describe('the AI SDK', () => {
  test('makes images with the provider for compatible servers', async () => {
    const provider = createOpenAICompatible({ name: 'svc', baseURL: gateway.v1, apiKey: gateway.key })
    const { images } = await generateImage({ model: provider.imageModel(model), prompt, n: 2, size: '1024x1024' })
    expect(images.map(({ base64 }) => base64)).toEqual([IMAGE, IMAGE])
  })

  test('changes images with it', async () => {
    const provider = createOpenAICompatible({ name: 'svc', baseURL: gateway.v1, apiKey: gateway.key })
    const { image } = await generateImage({
      model: provider.imageModel(model),
      prompt: { text: 'Add a boat', images: [bytes] },
    })
    expect(image.base64).toBe(IMAGE)
    expect(calls[0]?.json?.['input_references']).toHaveLength(1)
  })

  test('makes images with the provider for OpenAI', async () => {
    const provider = createOpenAI({ baseURL: gateway.v1, apiKey: gateway.key })
    const { image, usage } = await generateImage({ model: provider.image(model), prompt })
    expect(image.base64).toBe(IMAGE)
    expect(usage.outputTokens).toBe(4_175)
  })

  test('makes images with the provider for OpenRouter', async () => {
    const provider = createOpenRouter({ baseURL: gateway.v1, apiKey: gateway.key })
    const { image, usage } = await generateImage({ model: provider.imageModel(model), prompt, aspectRatio: '16:9' })
    expect(image.base64).toBe(IMAGE)
    expect(usage.inputTokens).toBe(7)
    expect(calls[0]?.json?.['aspect_ratio']).toBe('16:9')
  })
})
