/** What `svc price` and the playground say beforehand is what the gateway asks for. */
import { createClient, endpoints, formatCredits, nanocreditsFrom, nanocreditsOf } from '@svc/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { imagePrice } from '../packages/cli/src/prices/image-price.ts'
import { bytesOf, imageRange } from '../packages/console/src/pages/playground/pay/price-ranges.ts'
import { videoPrice } from '../packages/cli/src/prices/video-price.ts'
import { speechPrice, transcriptPrice } from '../packages/cli/src/prices/unit-price.ts'
import { makeWav, WAV_HEADER_BYTES } from '../packages/server/testing/make-wav.ts'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { createSvc, type Svc } from './run-svc.ts'

/** Each amount of a list is rounded up for itself, a charge once in all: so many billionths between them. */
const ROUNDING = 1_000n
/** Sizes that a request can name; lists have others, such as megapixels. */
const ASKABLE = /^(?:\d{2,5}x\d{2,5}|\d(?:\.\d)?k)$/i
const POOR = { budget: { limit: nanocreditsOf(1n), period: 'none' } } as const

let gateway: TestGateway
let svc: Svc
/** A key that can pay for nothing: the refusal names what would have been held. */
let poorKey: string
const client = () => createClient({ baseUrl: gateway.baseUrl, key: poorKey, retriesMax: 0 })

beforeAll(async () => {
  gateway = await startTestGateway()
  svc = createSvc({ SVC_BASE_URL: gateway.baseUrl, SVC_API_KEY: gateway.key })
  poorKey = (await gateway.createKey(POOR)).rawKey
})
afterAll(async () => {
  svc.remove()
  await gateway.stop()
})

async function requiredFor(path: string, body: object | FormData): Promise<bigint> {
  const isForm = body instanceof FormData
  const response = await fetch(`${gateway.baseUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${poorKey}`, ...(isForm ? {} : { 'content-type': 'application/json' }) },
    body: isForm ? body : JSON.stringify(body),
  })
  const text = await response.text()
  expect(response.status, text).toBe(402)
  return nanocreditsFrom(/"credits_required":([\d.]+)/.exec(text)?.[1] ?? '')
}

function expectBound(said: bigint, required: bigint, what: string): void {
  expect(said >= required && said - required <= ROUNDING, `${what}: ${said} said, ${required} asked for`).toBe(true)
}

describe('the price of every model is what the gateway holds:', () => {
  test('pictures, with and without settings', async () => {
    const { data } = await client().call(endpoints.listImageModels)
    expect(data.length).toBeGreaterThan(20)
    // Some are for styles of given pictures and take no words alone.
    for (const model of data.filter(({ id }) => !id.includes('-styles'))) {
      const purchases = [
        { count: 1, size: null, quality: null, given: 0, prompt: 'Grüße' },
        { count: 3, size: '1024x1024', quality: null, given: 0, prompt: 'Grüße' },
        {
          count: 2,
          size: model.supported_sizes.findLast((size) => ASKABLE.test(size)) ?? '4096x4096',
          quality: model.supported_qualities[0] ?? null,
          given: 0,
          prompt: 'Grüße',
        },
        { count: 1, size: '8192x4096', quality: null, given: 0, prompt: 'Grüße' },
      ]
      for (const purchase of purchases) {
        const { count: n, size, quality } = purchase
        const body = {
          model: model.id,
          prompt: purchase.prompt,
          n,
          ...(size === null ? {} : { size }),
          ...(quality === null ? {} : { quality }),
        }
        const required = await requiredFor('/v1/images/generations', body)
        expectBound(imagePrice(model, purchase).credits, required, JSON.stringify(body))
        const wish = { ...purchase, promptBytes: bytesOf(purchase.prompt) }
        expectBound(imageRange(model, wish).high, required, `playground: ${JSON.stringify(body)}`)
      }
    }
  })

  test('videos', async () => {
    const { data } = await client().call(endpoints.listVideoModels)
    expect(data.length).toBeGreaterThan(5)
    for (const model of data) {
      const seconds = model.supported_durations.at(-1) ?? 7
      const resolution = model.supported_resolutions.at(-1) ?? null
      for (const purchase of [
        { seconds: null, resolution: null, hasAudio: null, given: 0 },
        { seconds, resolution, hasAudio: null, given: 0 },
      ]) {
        const body = {
          ...{ model: model.id, prompt: 'x' },
          ...(purchase.seconds === null ? {} : { duration: purchase.seconds }),
          ...(purchase.resolution === null ? {} : { resolution: purchase.resolution }),
        }
        const required = await requiredFor('/v1/videos/generations', body)
        expectBound(videoPrice(model, purchase).credits, required, JSON.stringify(body))
      }
    }
  })

  test('speech', async () => {
    const { data } = await client().call(endpoints.listModels, { query: { type: 'speech' } })
    expect(data.length).toBeGreaterThan(3)
    const input = 'Grüße, 日本 👋'
    for (const model of data) {
      const required = await requiredFor('/v1/audio/speech', { model: model.id, input })
      expectBound(speechPrice(model, input).credits, required, model.id)
    }
  })

  test('transcripts of a recording whose length is known', async () => {
    const { data } = await client().call(endpoints.listModels, { query: { type: 'transcription' } })
    expect(data.length).toBeGreaterThan(2)
    for (const model of data) {
      const form = new FormData()
      form.append('model', model.id)
      form.append('file', new File([new Uint8Array(makeWav(WAV_HEADER_BYTES + 2.4 * 8_000))], 'sound.wav'))
      expectBound(transcriptPrice(model, 3).credits, await requiredFor('/v1/audio/transcriptions', form), model.id)
    }
  })
})

test('it is told before anything is spent, for every kind, and needs no key', async () => {
  const env = { SVC_API_KEY: '' }
  const pictures = await svc(['price', 'svc-image', '-n', '2'], { env })
  expect(pictures.out).toMatch(/^At most [\d,.]+ credits \(\$[\d.]+\)\n$/)
  expect(pictures.notes).toMatch(/^2 pictures\./)
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
