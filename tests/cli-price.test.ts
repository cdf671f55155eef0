/** What `svc price` and the playground say beforehand is what the gateway holds, and covers what it charges. */
import {
  createClient,
  endpoints,
  formatCredits,
  modelPriceEndpoints,
  nanocreditsFrom,
  nanocreditsOf,
} from '@svc/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  addTurn,
  DEFAULT_PARAMETERS,
  emptyConversation,
} from '../packages/console/src/pages/playground/chat/conversation.ts'
import { chatBodyOf, sizeOf as sizeOfChat } from '../packages/console/src/pages/playground/chat/chat-request.ts'
import {
  imageBodyOf,
  type ImageWishes,
  sizeOf as sizeOfImages,
} from '../packages/console/src/pages/playground/image/image-wishes.ts'
import { lengthOf, type RequestSize } from '../packages/console/src/pages/playground/pay/request-size.ts'
import { sizeOf as sizeOfVideo } from '../packages/console/src/pages/playground/video/video-request.ts'
import { makeWav, WAV_HEADER_BYTES } from '../packages/server/testing/make-wav.ts'
import { sendStream } from '../packages/server/testing/stub-upstream.ts'
import type { TestGateway } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { createSvc, type Svc } from './run-svc.ts'

/** Sizes that a request can name; lists have others, such as megapixels. */
const ASKABLE = /^(?:\d{2,5}x\d{2,5}|\d(?:\.\d)?k)$/i
const POOR = { budget: { limit: nanocreditsOf(1n), period: 'none' } } as const
const TEXT = 'Grüße, 日本 👋'
/** For the voices of the sandbox. */
const ENGLISH = 'Good morning.'

const gateway = useGateway()
let svc: Svc
/** A key that can pay for nothing: the refusal names what would have been held. */
let poorKey: string
const client = () => createClient({ baseUrl: gateway.baseUrl, key: poorKey, retriesMax: 0 })

beforeAll(async () => {
  svc = createSvc({ SVC_BASE_URL: gateway.baseUrl, SVC_API_KEY: gateway.key })
  poorKey = (await gateway.createKey(POOR)).rawKey
})
afterAll(() => svc.remove())

function post(path: string, body: object | FormData, key: string): Promise<Response> {
  const isForm = body instanceof FormData
  return fetch(`${gateway.baseUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...(isForm ? {} : { 'content-type': 'application/json' }) },
    body: isForm ? body : JSON.stringify(body),
  })
}

async function heldFor(path: string, body: object | FormData): Promise<string> {
  const response = await post(path, body, poorKey)
  const text = await response.text()
  expect(response.status, text).toBe(402)
  return /"credits_required":([\d.]+)/.exec(text)?.[1] ?? ''
}

async function priceOf(query: RequestSize, { baseUrl }: Pick<TestGateway, 'baseUrl'> = gateway) {
  const {
    credits_at_least: least,
    credits_likely: likely,
    credits_at_most: most,
    is_guess: isGuess,
    type,
  } = await createClient({ baseUrl }).call(modelPriceEndpoints.getRequestPrice, { query })
  // Speech and transcripts are charged by the list, whatever the upstream reports.
  if (type === 'speech' || type === 'transcription') expect(isGuess).toBe(false)
  expect(nanocreditsFrom(least)).toBeLessThanOrEqual(nanocreditsFrom(likely))
  expect(nanocreditsFrom(likely)).toBeLessThanOrEqual(nanocreditsFrom(most))
  return { least, most }
}

async function toldBySvc(...words: string[]): Promise<string> {
  const { out } = await svc(['price', '--json', ...words], { env: { SVC_API_KEY: '' } })
  return /"credits_at_most":([\d.]+)/.exec(out)?.[1] ?? out
}

describe('the price of every model is what the gateway holds:', () => {
  test('images, with and without settings', async () => {
    const { data } = await client().call(endpoints.listImageModels)
    expect(data.length).toBeGreaterThan(20)
    // Some are for styles of given images and take no words alone.
    for (const model of data.filter(({ id }) => !id.includes('-styles'))) {
      const wishes: ImageWishes = {
        model: model.id,
        prompt: TEXT,
        count: 1,
        size: '',
        quality: '',
        seed: null,
        inputs: [],
      }
      const last = model.supported_sizes.findLast((size) => ASKABLE.test(size)) ?? '4096x4096'
      for (const wish of [
        wishes,
        { ...wishes, count: 3, size: '1024x1024' },
        { ...wishes, count: 2, size: last, quality: model.supported_qualities[0] ?? '' },
        { ...wishes, size: '8192x4096' },
      ]) {
        const held = await heldFor('/v1/images/generations', imageBodyOf(wish))
        expect((await priceOf(sizeOfImages(wish))).most, JSON.stringify(wish)).toBe(held)
      }
    }
    const held = await heldFor('/v1/images/generations', { model: 'svc-image', prompt: TEXT, n: 2, quality: 'low' })
    expect(await toldBySvc('-m', 'svc-image', '-n', '2', '--quality', 'low', TEXT)).toBe(held)
  })

  test('videos', async () => {
    const { data } = await client().call(endpoints.listVideoModels)
    expect(data.length).toBeGreaterThan(5)
    for (const model of data) {
      const duration = model.supported_durations.at(-1) ?? 7
      const resolution = model.supported_resolutions.at(-1)
      for (const settings of [{}, { duration, ...(resolution === undefined ? {} : { resolution }) }]) {
        const body = { model: model.id, prompt: 'x', ...settings }
        const held = await heldFor('/v1/videos/generations', body)
        expect(await priceOf(sizeOfVideo(body)), JSON.stringify(body)).toEqual({ least: held, most: held })
      }
    }
    const [{ id } = { id: '' }] = data
    expect(await toldBySvc('-m', id)).toBe(await heldFor('/v1/videos/generations', { model: id, prompt: 'x' }))
  })

  test('speech', async () => {
    const { data } = await client().call(endpoints.listModels, { query: { type: 'speech' } })
    expect(data.length).toBeGreaterThan(3)
    for (const { id: model } of data) {
      const held = await heldFor('/v1/audio/speech', { model, input: TEXT })
      expect((await priceOf({ model, ...lengthOf(TEXT) })).most, model).toBe(held)
    }
    const [{ id } = { id: '' }] = data
    expect(await toldBySvc('-m', id, TEXT)).toBe(await heldFor('/v1/audio/speech', { model: id, input: TEXT }))
  })

  test('transcripts of a recording whose length is known', async () => {
    const { data } = await client().call(endpoints.listModels, { query: { type: 'transcription' } })
    expect(data.length).toBeGreaterThan(2)
    for (const { id: model } of data) {
      const form = new FormData()
      form.append('model', model)
      form.append('file', new File([new Uint8Array(makeWav(WAV_HEADER_BYTES + 2.4 * 8_000))], 'audio.wav'))
      const held = await heldFor('/v1/audio/transcriptions', form)
      expect((await priceOf({ model, seconds: 2.4 })).most, model).toBe(held)
      expect(await priceOf({ model, seconds: 3.000_2 })).toEqual(await priceOf({ model, seconds: 3 }))
    }
    const [{ id } = { id: '' }] = data
    expect(await toldBySvc('-m', id, '-d', '3')).toBe((await priceOf({ model: id, seconds: 3 })).most)
  })

  test('embeddings', async () => {
    const model = 'text-embedding-3-small'
    // So short that no count of its tokens makes the bound smaller.
    const held = await heldFor('/v1/embeddings', { model, input: 'a' })
    expect((await priceOf({ model, ...lengthOf('a') })).most).toBe(held)
    expect(await toldBySvc('-m', model, 'a')).toBe(held)
  })
})

describe('a chat', () => {
  const upstream = useStubUpstream()
  const rich = useGateway(() => ({ upstreamUrl: upstream.url, credits: '1000000000' }))
  let held = 0n
  upstream.onChat = async (_call, response) => {
    held = (await rich.balance()).held
    sendStream(response, {})
  }

  const IMAGE = { name: 'a.png', url: `data:image/png;base64,${'A'.repeat(4_000)}` }

  test.each([
    ['without a limit', {}, []],
    ['with a limit', { maxTokens: 100, system: 'Be brief.' }, []],
    ['with images', { maxTokens: 10 }, [IMAGE, IMAGE]],
    ['that answers JSON', { maxTokens: 10, format: 'json' as const }, []],
  ])('%s costs at most what is held for it', async (_how, parameters, images) => {
    for (const model of ['svc-opus', 'anthropic/claude-opus-5']) {
      const empty = { ...emptyConversation('c', [model]), parameters: { ...DEFAULT_PARAMETERS, ...parameters } }
      const body = chatBodyOf(addTurn(empty, { id: 'a', text: TEXT, images }), 0)
      const { baseUrl, key } = rich
      for await (const event of createClient({ baseUrl, key }).stream(endpoints.createChatCompletion, { body })) {
        expect(event.object).toBe('chat.completion.chunk')
      }
      expect((await priceOf(sizeOfChat(body), rich)).most).toBe(formatCredits(nanocreditsOf(held)))
      await rich.settled()
    }
  })
})

test('a price needs no session, and a model or a setting that there is not is refused', async () => {
  const ask = async (query: string) => (await fetch(`${gateway.baseUrl}/console/request-price?${query}`)).status
  expect(await ask('model=svc-gpt')).toBe(200)
  expect(await ask('model=nobody')).toBe(404)
  expect(await ask('model=svc-gpt&max_tokens=0')).toBe(400)
  expect(await ask('model=openrouter/alibaba/wan-2.7&resolution=9p')).toBe(400)
  expect(await ask('model=openrouter/openai/gpt-4o-mini-transcribe')).toBe(400)
})

test('it is shown before anything is spent, for every kind, and needs no key', async () => {
  const env = { SVC_API_KEY: '' }
  const images = await svc(['price', 'svc-image', '-n', '2'], { env })
  expect(images.out).toMatch(/^At most [\d,.]+ credits \(\$[\d.]+\)\n$/)
  expect(images.notes).toMatch(/^2 images\./)
  const video = JSON.parse((await svc(['price', '-m', 'openrouter/alibaba/wan-2.7', '-d', '10', '--json'])).out)
  expect(video).toMatchObject({ model: 'openrouter/alibaba/wan-2.7', seconds: 10, credits_at_most: 1_200 })
  const speech = await svc(['price', 'openrouter/fish-audio/s2.1-pro', 'Hello'])
  expect(speech.notes).toMatch(/^5 (characters|bytes)\.\n$/)
  expect((await svc(['price', '-m', 'svc-gpt', '--max-tokens', '10', 'Hello'])).code).toBe(0)
  expect(await gateway.balance()).toMatchObject({ held: 0n })
})

test('what says nothing about a model is wrong usage', async () => {
  for (const words of [
    ['price', '-m', 'svc-gpt', '--size', '10x10', 'Hello'],
    ['price', 'svc-image', '--max-tokens', '10'],
    ['price'],
    ['price', '-m', 'openrouter/openai/gpt-4o-mini-transcribe'],
  ]) {
    const { code, out, notes } = await svc(words)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(notes).not.toBe('')
  }
  expect(formatCredits((await gateway.balance()).posted)).toBe('10000')
})

test('what is charged lies within the price that was shown', async () => {
  const speech = { model: 'openrouter/openai/gpt-4o-mini-tts-2025-12-15', input: ENGLISH, voice: 'alloy' }
  const image = { model: 'svc-image', prompt: ENGLISH }
  const chat = { model: 'svc-gpt', messages: [{ role: 'user' as const, content: ENGLISH }] }
  const embedding = { model: 'text-embedding-3-small', input: ENGLISH }
  for (const [path, body, size] of [
    ['/v1/audio/speech', speech, { model: speech.model, ...lengthOf(ENGLISH) }],
    [
      '/v1/images/generations',
      image,
      sizeOfImages({ ...image, count: 1, size: '', quality: '', seed: null, inputs: [] }),
    ],
    ['/v1/chat/completions', chat, sizeOfChat(chat)],
    ['/v1/embeddings', embedding, { model: embedding.model, ...lengthOf(ENGLISH) }],
  ] as const) {
    const response = await post(path, body, gateway.key)
    const answer = await response.text()
    expect(response.status, answer).toBe(200)
    const charged = nanocreditsFrom(response.headers.get('x-svc-credits-charged') ?? '')
    const { least, most } = await priceOf(size)
    expect(charged, path).toBeGreaterThanOrEqual(nanocreditsFrom(least))
    expect(charged, path).toBeLessThanOrEqual(nanocreditsFrom(most))
  }
})
