/** Images through a whole gateway: what is sent, what is answered, what is charged. */
import { formatCredits, nanocreditsOf } from '@svc/contract'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { forgeSignature } from '../packages/server/testing/forge-signature.ts'
import { onImages, IMAGE, sendImages } from '../packages/server/testing/stub-images.ts'
import type { StubCall, StubHandler } from '../packages/server/testing/stub-upstream.ts'
import type { DatabaseEngine } from '../packages/server/src/platform/db/database.ts'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../packages/server/testing/test-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { chargeOf, lastRecord } from './charge-of.ts'
import { recomputeCharge } from './recompute-charge.ts'

const stub = useStubUpstream()

let gateway: TestGateway
let calls: StubCall[] = []
/** One gateway for all tests that need no settings of their own, on each engine. */
const shared = new Map<string, TestGateway>()
let own: TestGateway | null = null
afterEach(async () => {
  await own?.stop()
  own = null
})
afterAll(async () => {
  for (const each of shared.values()) await each.stop()
})

async function start(engine: DatabaseEngine = 'sqlite'): Promise<void> {
  gateway = shared.get(engine) ?? (await startTestGateway({ upstreamUrl: stub.url, engine, credits: '1000000' }))
  shared.set(engine, gateway)
}

async function startOwn(options: TestGatewayOptions): Promise<void> {
  own = await startTestGateway({ upstreamUrl: stub.url, ...options })
  gateway = own
}

function answer(handler: StubHandler): void {
  const images = onImages(handler)
  calls = images.calls
  stub.onOther = images.handle
}

beforeEach(() => answer((_call, response) => sendImages(response)))

function post(path: string, body: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return gateway.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
}

const MODEL = 'x-ai/grok-imagine-image-2.0'
const request = { model: MODEL, prompt: 'A lighthouse' }

/** An answer's body, whichever it is: images or an error. */
interface Body {
  readonly data: readonly { readonly b64_json?: string; readonly url?: string }[]
  readonly svc: { readonly credits_charged: number }
  readonly usage?: unknown
  readonly error: Readonly<Record<string, unknown>>
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

async function create(more: object = {}, path = '/v1/images/generations'): Promise<Answer> {
  const response = await post(path, { ...request, ...more })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Body }
}

/** Runs a request and says what it was charged, in credits, by the balance; the record must give the same. */
async function charged(more: object = {}): Promise<Answer & { readonly credits: string }> {
  const { result, charge } = await chargeOf(gateway, () => create(more))
  const record = await lastRecord(gateway)
  expect(recomputeCharge(record)).toBe(charge)
  return { ...result, credits: formatCredits(nanocreditsOf(charge)) }
}

describeEachEngine('images', (engine) => {
  // Case B021: cost × 1.2, once.
  test('are charged with the reported cost and the margin, and the answer says so', async () => {
    await start(engine)
    answer((_call, response) => sendImages(response, { cost: '0.01' }))
    const { status, headers, body, credits } = await charged()
    expect(status).toBe(200)
    expect(credits).toBe('12')
    expect(body).toMatchObject({
      data: [{ b64_json: IMAGE }],
      output_format: 'png',
      usage: { input_tokens: 7, output_tokens: 4_175, total_tokens: 4_182, cost: 0.012 },
      svc: { credits_charged: 12, margin_bps: 2_000 },
    })
    expect(Object.keys(body.data[0] ?? {})).toEqual(['b64_json'])
    expect(headers.get('x-svc-credits-charged')).toBe('12')
    expect(await lastRecord(gateway)).toMatchObject({
      type: 'image',
      model: MODEL,
      units: { kind: 'images', quantity: 1 },
      basis: 'cost',
      estimated: false,
      pricing: { units: { images: 1 }, cost_usd: '0.01' },
    })
  })

  // Case B092: no usage and no cost is not free.
  test('are charged by the list where no cost is reported', async () => {
    await start(engine)
    const data = [{ b64_json: IMAGE }, { b64_json: IMAGE }]
    answer((_call, response) => sendImages(response, { data, cost: null, more: { quality: 'medium' } }))
    const { body, credits } = await charged({ n: 2, resolution: '2K' })
    expect(body.data).toHaveLength(2)
    expect(credits).toBe('192')
    expect(await lastRecord(gateway)).toMatchObject({
      basis: 'list',
      units: { kind: 'images', quantity: 2 },
      pricing: { usd_per_unit: { images: '0.08' }, variant: { quality: 'medium', resolution: '2K' } },
    })
  })

  // Case B094: failed renders are free.
  test.each([
    ['no entries', { data: [] }],
    ['an empty entry', { data: [{}] }],
    ['text alone', { data: [{ text: 'I cannot draw that.' }] }],
    ['something that is not base64', { data: [{ b64_json: '!!!' }] }],
    ['nothing in it', { data: [{ b64_json: '' }] }],
  ])('are free when the answer has %s', async (_name, { data }) => {
    await start(engine)
    answer((_call, response) => sendImages(response, { data }))
    const { result, charge } = await chargeOf(gateway, () => create())
    expect(result).toMatchObject({ status: 502, body: { error: { code: 'upstream_empty' } } })
    expect(charge).toBe(0n)
    expect(await lastRecord(gateway)).toMatchObject({ status: 'error', error_code: 'upstream_empty' })
  })

  test('are charged for those that came when others failed', async () => {
    await start(engine)
    let count = 0
    answer((_call, response) => {
      count++
      if (count === 2) return void response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":"x"}')
      if (count === 3) return sendImages(response, { data: [{}] })
      sendImages(response, { cost: '0.0333333333333' })
    })
    const { status, body, credits } = await chargedModel('recraft/recraft-v3', { n: 4 })
    expect(status).toBe(200)
    expect(body.data).toHaveLength(2)
    // 0.0666666666666 USD: rounded up once.
    expect(credits).toBe('80')
  })

  test('race: of fifty at once only those that can be paid reach the upstream', async () => {
    await startOwn({ engine, credits: '500' })
    answer((_call, response) => void setImmediate(() => sendImages(response)))
    const { result, charge } = await chargeOf(gateway, () =>
      Promise.all(Array.from({ length: 50 }, () => create({ quality: 'low', resolution: '1K' }))),
    )
    const statuses = result.map(({ status }) => status)
    const paid = statuses.filter((status) => status === 200).length
    expect(statuses.every((status) => status === 200 || status === 402)).toBe(true)
    expect(calls).toHaveLength(paid)
    // At 48 credits each, ten fit into 500.
    expect(paid).toBe(10)
    expect(charge).toBe(480_000_000_000n)
  })

  test('that a caller has left are made to the end and charged', async () => {
    await start(engine)
    const gone = new AbortController()
    answer((_call, response) => {
      gone.abort()
      setTimeout(() => sendImages(response), 50)
    })
    const { charge } = await chargeOf(gateway, () =>
      gateway
        .fetch('/v1/images/generations', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(request),
          signal: gone.signal,
        })
        .catch(() => null),
    )
    expect(charge).toBe(48_000_000_000n)
    expect(await lastRecord(gateway)).toMatchObject({ status: 'ok', basis: 'cost' })
  })
})

async function chargedModel(model: string, more: object) {
  const { result, charge } = await chargeOf(gateway, () => create({ model, ...more }))
  expect(recomputeCharge(await lastRecord(gateway))).toBe(charge)
  return { ...result, credits: formatCredits(nanocreditsOf(charge)) }
}

describe('a request for images', () => {
  test('holds the dearest that its settings leave open, and a 402 counts in images', async () => {
    await startOwn({ credits: '100' })
    const { status, headers, body } = await create({ n: 3 })
    expect(status).toBe(402)
    expect(body.error).toMatchObject({
      code: 'insufficient_credits',
      credits_required: 216,
      credits_available: 100,
      credits_short: 116,
      affordable_images: 1,
      limit: 'account',
    })
    expect(body.error).not.toHaveProperty('affordable_max_tokens')
    expect(headers.get('x-should-retry')).toBe('false')
    expect(headers.get('x-svc-credits-required')).toBe('216')
    expect(calls).toHaveLength(0)
    // A quality and a size that are named need less.
    expect((await create({ n: 2, quality: 'low', resolution: '1K' })).status).toBe(200)
  })

  test.each<[string, object, string, string]>([
    ['no prompt', { prompt: undefined }, 'missing_required_parameter', 'prompt'],
    ['a blank prompt', { prompt: ' \n' }, 'empty_content', 'prompt'],
    ['too long a prompt', { prompt: 'a'.repeat(32_001) }, 'invalid_value', 'prompt'],
    ['no model', { model: undefined }, 'missing_required_parameter', 'model'],
    ['n of 0', { n: 0 }, 'invalid_value', 'n'],
    ['n of 11', { n: 11 }, 'invalid_value', 'n'],
    ['n as text', { n: '2' }, 'invalid_value', 'n'],
    ['a size that is none', { size: 'large' }, 'invalid_value', 'size'],
    ['a form of answer that is none', { response_format: 'png' }, 'invalid_value', 'response_format'],
    ['an animated image', { output_format: 'gif' }, 'invalid_value', 'output_format'],
    ['frames', { frame_count: 9 }, 'unsupported_parameter', 'frame_count'],
    ['another route', { provider: { only: ['x'] } }, 'unsupported_parameter', 'provider'],
    ['a field in another spelling', { N: 10 }, 'unsupported_parameter', 'N'],
    ['an address in a stream', { stream: true, response_format: 'url' }, 'unsupported_parameter', 'response_format'],
    ['too many partial images', { stream: true, partial_images: 4 }, 'invalid_value', 'partial_images'],
    ['a model of text', { model: 'svc-gpt' }, 'invalid_value', 'model'],
    [
      'images for a model that takes none',
      withReferences('recraft/recraft-v4.1-flash', 1),
      'invalid_value',
      'input_references',
    ],
    ['too many images', withReferences(MODEL, 4), 'invalid_value', 'input_references'],
    [
      'no image for a model that needs one',
      { model: 'recraft/recraft-v4-styles' },
      'missing_required_parameter',
      'input_references',
    ],
  ])('with %s is refused and costs nothing', async (_name, more, code, param) => {
    await start()
    const { result, charge } = await chargeOf(gateway, () => create(more))
    expect(result).toMatchObject({ status: 400, body: { error: { code, param } } })
    expect(charge).toBe(0n)
    expect(calls).toHaveLength(0)
  })

  test('for an unknown model is 404, and for one that the key may not use 403', async () => {
    await start()
    expect((await create({ model: 'nobody/knows' })).body.error.code).toBe('model_not_found')
    const { rawKey } = await gateway.createKey({ models: ['svc-gpt'] })
    const response = await gateway.fetch('/v1/images/generations', {
      method: 'POST',
      key: rawKey,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    })
    expect(response.status).toBe(403)
  })

  test('without a key, or with one of no account, is 401', async () => {
    await start()
    const response = await gateway.fetch('/v1/images/generations', { method: 'POST', key: null, body: '{}' })
    expect(response.status).toBe(401)
  })

  test('has a rate of its own', async () => {
    await startOwn({ file: { limits: { images_per_minute: 6 } } })
    expect((await create()).status).toBe(200)
    const { status, headers } = await create()
    expect(status).toBe(429)
    expect(headers.get('retry-after')).toBe('10')
  })

  test('that the upstream refuses, delays or breaks is free and reported as such', async () => {
    await start()
    const failures: [number, object, number, string][] = [
      [400, { error: { message: 'Your size is odd' } }, 400, 'upstream_rejected_request'],
      [400, { error: { message: 'No', code: 'content_policy_violation' } }, 400, 'content_policy_violation'],
      [402, { error: { message: 'pay', code: 402 } }, 503, 'upstream_unavailable'],
      [429, { error: { message: 'slow' } }, 503, 'server_is_overloaded'],
      [504, { error: { message: 'late' } }, 504, 'upstream_timeout'],
      [200, { error: { message: 'broke', code: 500 } }, 502, 'upstream_error'],
    ]
    for (const [status, body, told, code] of failures) {
      answer((_call, response) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      })
      const { result, charge } = await chargeOf(gateway, () => create())
      expect(result, JSON.stringify(body)).toMatchObject({ status: told, body: { error: { code } } })
      expect(charge).toBe(0n)
      // The upstream may have made them: not to be tried again by itself.
      if (told === 504) expect(result.headers.get('x-should-retry')).toBe('false')
    }
  })

  test('asks one by one where the list says that the upstream makes one at a time', async () => {
    await start()
    const { body } = await create({ model: 'google/gemini-3-pro-image', n: 3 })
    expect(body.data).toHaveLength(3)
    expect(calls.map(({ json }) => json?.['n'])).toEqual([1, 1, 1])
    expect(body.svc.credits_charged).toBe(144)
  })

  test('asks one by one where the upstream refuses several', async () => {
    await start()
    answer((call, response) => {
      if (call.json?.['n'] === 1) return sendImages(response)
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"n must be 1"}}')
    })
    const { status, body } = await create({ n: 3 })
    expect(status).toBe(200)
    expect(body.data).toHaveLength(3)
    expect(calls).toHaveLength(4)
  })

  test('asks again for what a short answer lacks, and takes no more than was asked for', async () => {
    await start()
    answer((call, response) => {
      if (call.json?.['n'] === 4) return sendImages(response, { cost: '0.04' })
      sendImages(response, { data: [{ b64_json: IMAGE }, { b64_json: IMAGE }], cost: '0.08' })
    })
    const { body, credits } = await charged({ n: 4 })
    expect(body.data).toHaveLength(4)
    // Of two that came where one was asked for, one is charged.
    expect(credits).toBe('192')
  })

  // Case B096: a field is sent only when the client sent it.
  test('sends what the client sent, in the form of the upstream', async () => {
    await start()
    await create({ size: '1024x1024', quality: 'hd', seed: 7, user: 'me' })
    expect(calls[0]?.path).toBe('/v1/images')
    expect(calls[0]?.json).toEqual({
      model: MODEL,
      prompt: 'A lighthouse',
      n: 1,
      size: '1024x1024',
      quality: 'high',
      seed: 7,
    })
  })

  test('under the address of OpenRouter counts as OpenRouter does', async () => {
    await start()
    const reference = { type: 'image_url', image_url: { url: `data:image/png;base64,${IMAGE}` } }
    const { body } = await create({ input_references: [reference] }, '/v1/images')
    expect(body.data).toEqual([{ b64_json: IMAGE, media_type: 'image/png' }])
    expect(body.usage).toEqual({ prompt_tokens: 7, completion_tokens: 4_175, total_tokens: 4_182, cost: 0.048 })
    expect(calls[0]?.json?.['input_references']).toEqual([reference])
  })
})

function withReferences(model: string, count: number): object {
  return { model, input_references: Array.from({ length: count }, () => ({ image_url: 'https://example.com/a.png' })) }
}

describe('an address of an image', () => {
  test('is signed, needs no key, and shows the image', async () => {
    await start()
    const { body } = await create({ response_format: 'url' })
    const { url = '' } = body.data[0] ?? {}
    expect(url).toMatch(/\/api\/v1\/media\/[^?]+\?expires=\d+&signature=/)
    expect(body.data[0]).not.toHaveProperty('b64_json')
    const origin = new URL(gateway.baseUrl).origin
    const { pathname, search } = new URL(url)
    const response = await fetch(`${origin}${pathname}${search}`)
    expect(response.headers.get('content-type')).toBe('image/png')
    expect(Buffer.from(await response.arrayBuffer()).toString('base64')).toBe(IMAGE)
    const forged = await fetch(forgeSignature(`${origin}${pathname}${search}`))
    expect(forged.status).toBe(403)
  })

  test('leads to us, also where the upstream only names its images', async () => {
    await start()
    const bytes = Buffer.from(IMAGE, 'base64')
    const images = onImages((_call, response) => {
      sendImages(response, { data: [{ url: `${stub.url}/files/1.png` }, { url: 'http://169.254.169.254/latest' }] })
    })
    const asked: (string | undefined)[] = []
    stub.onOther = (call, response) => {
      if (!call.path.endsWith('/files/1.png')) return images.handle(call, response)
      asked.push(call.headers.authorization)
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(bytes)
    }
    const { body, credits } = await charged({ n: 2 })
    expect(body.data).toEqual([{ b64_json: IMAGE }])
    // The upstream's own address is asked with its key; the other address is never asked, and not charged.
    expect(asked).toEqual(['Bearer sk-or-v1-upstream-secret'])
    expect(credits).toBe('24')
    expect(JSON.stringify(body)).not.toContain('169.254')
  })
})

describe('the list of image models', () => {
  test('is public and says what each variant costs', async () => {
    await start()
    const response = await gateway.fetch('/v1/images/models', { key: null })
    const { data } = (await response.json()) as { data: Readonly<Record<string, unknown>>[] }
    expect(data.length).toBeGreaterThanOrEqual(71)
    expect(data[0]).toMatchObject({ id: 'svc-image', credits_per_image: 46.44 })
    expect(data.find(({ id }) => id === `openrouter/${MODEL}`)).toMatchObject({
      credits_per_image: 48,
      max_n: 10,
      max_input_images: 3,
      supports_edits: true,
      supported_qualities: ['low', 'medium'],
      estimated: false,
    })
    const models = await gateway.fetch('/v1/models?type=image')
    const listed = (await models.json()) as { data: { svc: { unit: string } }[] }
    expect(listed.data.map(({ svc }) => svc.unit)).toEqual(listed.data.map(() => 'image'))
  })
})
