/** Routes of media with several upstreams: who is asked, what may be repeated, and what is held and charged for it. */
import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import type { ConfigFile } from '../packages/server/src/config/config-file.ts'
import { eventually } from '../packages/server/testing/eventually.ts'
import { makeWav, WAV_HEADER_BYTES } from '../packages/server/testing/make-wav.ts'
import { IMAGE } from '../packages/server/testing/stub-images.ts'
import type { StubCall, StubHandler } from '../packages/server/testing/stub-upstream.ts'
import type { TestGateway, TestGatewayOptions } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { formOf, sendJson, audioOf } from './audio-upstream.ts'
import { arrivals, chargeOf, lastRecord } from './charge-of.ts'
import { CHEAP, DEAR, KINDS, type MediaKind, mediaPrices, useMediaStub, work } from './media-upstream.ts'

const first = useMediaStub()
const second = useMediaStub()
const gateway = useGateway(() => settingsOf())
/** Its circuits open at the third failure, and stay open. */
const careful = useGateway(() => settingsOf({ breaker_failures: 3, breaker_open_ms: 3_600_000 }))

/** An address without a server: no system gives this port to a server. */
const DEAD_URL = 'http://127.0.0.1:1/v1'

const MODELS = ['paints', 'speaks', 'hears', 'films'] as const

/** One image a call. */
const SINGLE = { media_price: { type: 'image', per_image: CHEAP, max_n: 1 }, model: 'single' } as const

/** Each model with a cheap first upstream and a dear second one; the first differs by the ending of the name. */
function routesOf(model: (typeof MODELS)[number]): NonNullable<ConfigFile['routes']> {
  const at = (upstream: string, usd: string) =>
    ({ upstream, model: `${model} at ${usd}`, media_price: mediaPrices(usd)[model] }) as const
  const cheap = at('first', CHEAP)
  const dear = at('second', DEAR)
  const drawn = [cheap, dear].map((target) => ({ ...target, weight: 1 }))
  return {
    [model]: { targets: [cheap, dear] },
    [`${model}-dead`]: { targets: [at('dead', CHEAP), dear] },
    [`${model}-free`]: { targets: [at('free', CHEAP), dear] },
    [`${model}-alone`]: { targets: [cheap] },
    [`${model}-drawn`]: { targets: drawn, fallback: false },
  }
}

function settingsOf(limits: ConfigFile['limits'] = {}): TestGatewayOptions {
  const upstream = (name: string, url: string, more: object = {}) =>
    ({ name, kind: 'openai-compatible', url, ...more }) as const
  return {
    credits: '1000000',
    env: { SVC_ADMIN_PORT: '0' },
    file: {
      upstreams: [
        upstream('first', first.url),
        upstream('second', second.url),
        upstream('dead', DEAD_URL),
        upstream('free', first.url, { failures_are_free: true }),
      ],
      routes: {
        ...Object.assign({}, ...MODELS.map(routesOf)),
        'paints-single': {
          targets: [
            { upstream: 'first', ...SINGLE },
            { upstream: 'second', ...SINGLE },
          ],
        },
      },
      limits,
    },
  }
}

beforeEach(() => {
  first.reset()
  second.reset()
})

const asks = () => [first.calls.length, second.calls.length]

const says =
  (status: number, headers: Record<string, string> = {}): StubHandler =>
  (_call, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(`{"error":{"message":"no","code":${status}}}`)

const codeIn = (text: string): unknown => JSON.parse(text)?.error?.code

const kindOf = (name: string): MediaKind => {
  const kind = KINDS.find((each) => each.name === name)
  if (kind === undefined) throw new Error(`${name} is no kind`)
  return kind
}

const hashOf = async (file: Blob): Promise<string> =>
  createHash('sha256')
    .update(new Uint8Array(await file.arrayBuffer()))
    .digest('hex')

async function figures(target: TestGateway): Promise<string[]> {
  const text = await (await fetch(`${target.gateway.adminOrigin()}/metrics`)).text()
  return text.split('\n').filter((line) => /^svc_upstream_(circuit_state|repeats_total)\{/.test(line))
}

async function holdCount(target: TestGateway): Promise<number> {
  return (await target.gateway.database.read.selectFrom('hold').select('hold_id').execute()).length
}

/** Three images of a model that makes one a call. */
function threeImages(target: TestGateway): Promise<Response> {
  const body = JSON.stringify({ model: 'paints-single', prompt: 'A lighthouse', n: 3 })
  const headers = { 'content-type': 'application/json' }
  return target.fetch('/v1/images/generations', { method: 'POST', headers, body })
}

/** Who served the newest request, by its record. */
async function servedBy(target: TestGateway): Promise<string | null | undefined> {
  const rows = target.gateway.database.read.selectFrom('usage_record').select('upstream')
  return (await rows.orderBy('usage_id', 'desc').limit(1).executeTakeFirst())?.upstream
}

/** Failures of which it is certain that nothing was billed. */
const unbilled: readonly (readonly [string, StubHandler])[] = [
  ['402: our credit is used up', says(402)],
  ['404: it does not have the model', says(404)],
  ['429', says(429)],
  ['503 in its own words', says(503)],
]

/** Failures after which it may have worked for money, or that speak about the request itself. */
const final: readonly (readonly [string, StubHandler, number])[] = [
  ['500', says(500), 502],
  ['503 of a proxy', (_call, response) => void response.writeHead(503).end('<html>Sorry'), 503],
  ['504', says(504), 504],
  ['a broken connection', (_call, response) => void response.destroy(), 502],
  ['a 429 that names a cost', (_call, response) => sendJson(response, { error: 'no', usage: { cost: 0.5 } }, 429), 503],
  ['400', says(400), 400],
]

describe.each(KINDS)('$name of a route of two', (kind: MediaKind) => {
  const { model, dear } = kind
  // Another form of what is tried in full: the attempts are the same.
  const isVariant = /streamed|changed|events/.test(kind.name)
  const ask = (name = model, target = gateway) => chargeOf(target, () => kind.ask(target, name))

  test('are made by the first alone, at its price', async () => {
    const { result, charge } = await ask()
    expect([result.status, asks(), charge]).toEqual([200, [1, 0], dear / 10n])
    expect(await servedBy(gateway)).toBe('first')
  })

  test.each(isVariant ? unbilled.slice(-1) : unbilled)(
    'are made by the second after %s, at its price',
    async (_name, failure) => {
      first.onWork = failure
      const { result, charge } = await ask()
      expect([result.status, asks(), charge]).toEqual([200, [1, 1], dear])
      expect(await lastRecord(gateway)).toMatchObject({ upstream_model: `${model} at ${DEAR}`, status: 'ok' })
      expect(await servedBy(gateway)).toBe('second')
    },
  )

  test('are made by the second when the first cannot be reached', async () => {
    const { result, charge } = await ask(`${model}-dead`)
    expect([result.status, asks(), charge]).toEqual([200, [0, 1], dear])
  })

  test.each(isVariant ? final.slice(-1) : final)(
    'are not asked for elsewhere after %s',
    async (_name, failure, status) => {
      first.onWork = failure
      const { result, charge } = await ask()
      expect([result.status, asks(), charge]).toEqual([status, [1, 0], 0n])
      expect(await lastRecord(gateway)).toMatchObject({ upstream_model: `${model} at ${CHEAP}`, status: 'error' })
    },
  )

  test('fail as the last one failed, free and once each, when all fail', async () => {
    first.onWork = says(429, { 'retry-after': '30' })
    second.onWork = says(403, { 'retry-after': '7' })
    const { result, charge } = await ask()
    expect([result.status, codeIn(result.text), result.headers.get('retry-after')]).toEqual([
      ...[503, 'upstream_unavailable', '7'],
    ])
    expect([asks(), charge, await gateway.balance()]).toMatchObject([[1, 1], 0n, { held: 0n }])
    expect(await servedBy(gateway)).toBe('second')
  })

  test('stay with the one that is drawn where nothing may fall back', async () => {
    first.onWork = says(429)
    second.onWork = says(429)
    expect((await ask(`${model}-drawn`)).result.status).toBe(503)
    expect(first.calls.length + second.calls.length).toBe(1)
  })

  test('hold what the dearest would cost, whichever upstream makes them', async () => {
    const { promise: served, resolve: serve } = Promise.withResolvers<void>()
    first.onWork = async (call, response) => {
      await served
      return work(call, response)
    }
    const answer = kind.ask(gateway, model)
    await eventually(() => expect(first.calls).toHaveLength(1))
    expect((await gateway.balance()).held).toBe(dear)
    serve()
    expect((await answer).status).toBe(200)
    await gateway.settled()
  })
})

describe('an upstream that bills no failures', () => {
  test.each(KINDS)('hands $name on after a failure of its own words, but for videos', async ({ name, model, ask }) => {
    first.onWork = says(500)
    expect((await ask(gateway, `${model}-free`)).status).toBe(name === 'videos' ? 502 : 200)
    expect(asks()).toEqual([1, name === 'videos' ? 0 : 1])
  })
})

describe('an upstream alone', () => {
  test('that says to come back soon is asked once more', async () => {
    first.onWork = (call, response) => {
      first.onWork = work
      return says(429, { 'retry-after': '1' })(call, response)
    }
    expect((await kindOf('speech').ask(gateway, 'speaks-alone')).status).toBe(200)
    expect(asks()).toEqual([2, 0])
  })
})

describe('circuits', () => {
  test.each(['images', 'speech', 'transcripts', 'videos'])('%s: one that keeps failing is left alone', async (name) => {
    const { model, ask } = kindOf(name)
    first.onWork = says(503)
    for (let turn = 0; turn < 5; turn++) expect((await ask(careful, model)).status).toBe(200)
    expect(asks()).toEqual([3, 5])
    expect(await figures(careful)).toContain(
      `svc_upstream_circuit_state{upstream="first",model="${model} at ${CHEAP}"} 2`,
    )
    second.onWork = says(503)
    for (let turn = 0; turn < 3; turn++) expect((await ask(careful, model)).status).toBe(503)
    const holds = await holdCount(careful)
    const refused = await ask(careful, model)
    expect([refused.status, codeIn(refused.text), asks()]).toEqual([503, 'upstream_unavailable', [3, 8]])
    // Where all upstreams are left alone not even a hold is placed.
    expect(await holdCount(careful)).toBe(holds)
  })

  test('report each attempt that is repeated', async () => {
    const repeats = (await figures(careful)).filter((line) => line.startsWith('svc_upstream_repeats_total'))
    expect(repeats).toEqual(['svc_upstream_repeats_total{from="first",to="second",reason="fallback"} 12'])
  })

  test('count each call of a request that needs several', async () => {
    first.onWork = says(500)
    expect((await threeImages(careful)).status).toBe(502)
    expect((await threeImages(careful)).status).toBe(200)
    expect(asks()).toEqual([3, 3])
  })
})

describe('what has reached the caller is not begun anew', () => {
  const cut =
    (type: string, text: string): StubHandler =>
    (_call, response) => {
      response.writeHead(200, { 'content-type': type }).write(Buffer.from(text, 'latin1'))
      setTimeout(() => response.destroy(), 20)
    }

  test.each([
    ['streamed images', cut('text/event-stream', `data: {"type":"a.partial_image","b64_json":"${IMAGE}"}\n\n`), 0n],
    ['speech', cut('audio/mpeg', audioOf(16_000).toString('latin1')), null],
    [
      'streamed transcripts',
      cut('text/event-stream', 'data: {"type":"transcript.text.delta","delta":"Hel"}\n\n'),
      null,
    ],
  ] as const)('%s that break off', async (name, failure, free) => {
    const { model, ask, dear } = kindOf(name)
    first.onWork = failure
    const { charge } = await chargeOf(gateway, () => ask(gateway, `${model}-free`))
    expect(asks()).toEqual([1, 0])
    if (free === null) expect(charge).toBeGreaterThan(0n)
    expect(charge).toBeLessThanOrEqual(free ?? dear / 10n)
  })

  test('images of which some came, though others were refused', async () => {
    let calls = 0
    first.onWork = (call, response) => (++calls === 2 ? says(429)(call, response) : work(call, response))
    const { result, charge } = await chargeOf(gateway, () => threeImages(gateway))
    expect(((await result.json()) as { data: unknown[] }).data).toHaveLength(2)
    expect([asks(), charge]).toEqual([[3, 0], 24_000_000_000n])
  })

  test('nor is an audio file asked for elsewhere whose caller has gone', async () => {
    const leaving = new AbortController()
    const before = arrivals(gateway).length
    const { promise: gone, resolve: leave } = Promise.withResolvers<void>()
    first.onWork = async (call, response) => {
      leaving.abort()
      await gone
      return says(429)(call, response)
    }
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, signal: leaving.signal }
    const asked = gateway.fetch('/v1/audio/speech', {
      ...init,
      body: '{"model":"speaks","input":"Hello.","voice":"nova"}',
    })
    await expect(asked).rejects.toThrow('abort')
    // The end of the request is logged when its caller has gone.
    await eventually(() => expect(arrivals(gateway).length).toBeGreaterThan(before))
    leave()
    await gateway.settled()
    expect(asks()).toEqual([1, 0])
  })
})

describe('the second gets all that the first got', () => {
  const refused = (): void => {
    first.onWork = says(429)
  }
  const partsOf = async (call: StubCall | undefined): Promise<unknown[]> => {
    if (call === undefined) throw new Error('no upstream was asked')
    const form = await formOf(call)
    const parts = [...form].filter(([name]) => name !== 'model')
    return Promise.all(
      parts.map(async ([name, value]) => [name, typeof value === 'string' ? value : await hashOf(value)]),
    )
  }

  test('an audio file that lies on disk, whole', async () => {
    refused()
    const long = makeWav(WAV_HEADER_BYTES + 300_000)
    const body = new FormData()
    body.append('model', 'hears')
    body.append('language', 'en')
    body.append('file', new File([new Uint8Array(long)], 'long.wav', { type: 'audio/wav' }))
    expect((await gateway.fetch('/v1/audio/transcriptions', { method: 'POST', body })).status).toBe(200)
    expect(await partsOf(second.calls[0])).toEqual(await partsOf(first.calls[0]))
    expect(await partsOf(second.calls[0])).toContainEqual(['file', await hashOf(new Blob([new Uint8Array(long)]))])
  })

  test('images to be changed', async () => {
    refused()
    await kindOf('changed images').ask(gateway, 'paints')
    expect(await partsOf(second.calls[0])).toEqual(await partsOf(first.calls[0]))
  })

  test('and its own name of the model and of the voice', async () => {
    refused()
    await kindOf('speech').ask(gateway, 'speaks')
    expect(second.calls[0]?.json).toMatchObject({ model: `speaks at ${DEAR}`, input: 'Hello.' })
  })
})
