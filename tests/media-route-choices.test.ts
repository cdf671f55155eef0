/** What targets of media differ in: abilities, voices, units, lengths, and jobs that belong to who took them. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { ConfigFile } from '../packages/server/src/config/config-file.ts'
import { IMAGE } from '../packages/server/testing/stub-images.ts'
import type { StubHandler } from '../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { sendJson } from './audio-upstream.ts'
import { chargeOf, lastRecord } from './charge-of.ts'
import { useMediaStub, WAV } from './media-upstream.ts'

type Routes = NonNullable<ConfigFile['routes']>
type MediaPrice = NonNullable<Routes[string]['media_price']>

const first = useMediaStub()
const second = useMediaStub()

const both = (one: MediaPrice, two: MediaPrice) => ({
  targets: [
    { upstream: 'first', model: 'one', media_price: one },
    { upstream: 'second', model: 'two', media_price: two },
  ],
})

const routes: Routes = {
  paints: both(
    { type: 'image', per_image: '0.01', max_input_images: 0, variants: [{ quality: 'low', per_image: '0.01' }] },
    {
      type: 'image',
      per_image: '0.02',
      variants: [
        { quality: 'low', per_image: '0.02' },
        { quality: 'high', per_image: '0.3' },
      ],
    },
  ),
  speaks: both(
    { type: 'speech', per_character: '0.002', voices: ['anna', 'bert'] },
    { type: 'speech', per_byte: '0.001', voices: ['carl'], voice_required: true },
  ),
  hears: both({ type: 'transcription', per_second: '0.01' }, { type: 'transcription', per_minute: '1.2' }),
  films: both(
    { type: 'video', per_second: '0.1', supported_durations: [4, 8], default_resolution: '480p' },
    { type: 'video', per_second: '0.2', supported_durations: [6, 12], minimum: '2', default_resolution: '720p' },
  ),
  // What the route says holds for both.
  'films-alike': {
    media_price: { type: 'video', per_second: '0.1' },
    targets: [
      { upstream: 'first', model: 'one' },
      { upstream: 'second', model: 'two' },
    ],
  },
  // A target without a price is not asked.
  'paints-once': {
    targets: [
      { upstream: 'second', model: 'unpriced' },
      { upstream: 'first', model: 'one', media_price: { type: 'image', per_image: '0.01' } },
    ],
  },
}

const gateway = useGateway(() => {
  const upstream = (name: string, url: string) => ({ name, kind: 'openai-compatible', url }) as const
  const upstreams = [upstream('first', first.url), upstream('second', second.url)]
  return { credits: '1000000', file: { upstreams, routes } }
})
beforeEach(() => {
  first.reset()
  second.reset()
})

const asks = () => [first.calls.length, second.calls.length]
const busy: StubHandler = (_call, response) => sendJson(response, { error: { message: 'no', code: 429 } }, 429)

function post(path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return gateway.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
}

const speak = (more: object) => post('/v1/audio/speech', { model: 'speaks', input: 'Grüße', ...more })
const submit = (more: object = {}) => post('/v1/videos/generations', { model: 'films', prompt: 'A boat.', ...more })

/** Nanocredits of so many thousandths of a USD, with the margin. */
const charged = (milliUsd: bigint): bigint => (milliUsd * 1_000_000_000n * 12n) / 10n

describe('a target that cannot do what is asked is left out', () => {
  test('images to be changed go to the one that takes them', async () => {
    const body = new FormData()
    for (const [name, value] of [
      ['model', 'paints'],
      ['prompt', 'A boat'],
    ] as const)
      body.append(name, value)
    body.append('image', new File([new Uint8Array(Buffer.from(IMAGE, 'base64'))], 'a.png', { type: 'image/png' }))
    const answer = await gateway.fetch('/v1/images/edits', { method: 'POST', body })
    expect([answer.status, asks()]).toEqual([200, [0, 1]])
  })

  test.each([
    ['anna', [1, 0], 'anna'],
    ['carl', [0, 1], 'carl'],
    // A name of OpenAI's maps to a voice of either.
    ['alloy', [1, 0], 'anna'],
  ] as const)('the voice %s is asked of who has it', async (voice, expected, sent) => {
    expect((await speak({ voice })).status).toBe(200)
    expect(asks()).toEqual(expected)
    expect([...first.calls, ...second.calls][0]?.json).toMatchObject({ voice: sent })
  })

  test('an unknown voice is refused with the voices of the first', async () => {
    const answer = await speak({ voice: 'dora' })
    expect([answer.status, asks()]).toEqual([400, [0, 0]])
    expect(await answer.text()).toContain('anna, bert')
  })

  test.each([
    [8, [1, 0], charged(800n)],
    [12, [0, 1], charged(2_400n)],
  ] as const)('a video of %i seconds is asked of who makes one', async (duration, expected, charge) => {
    const { result } = await chargeOf(gateway, async () => {
      const { id } = (await (await submit({ duration })).json()) as { id: string }
      return (await gateway.fetch(`/v1/videos/${id}`)).json() as Promise<{ svc: { credits_charged: number } }>
    })
    expect(asks()).toEqual(expected)
    expect(BigInt(result.svc.credits_charged) * 1_000_000_000n).toBe(charge)
  })

  test('one without a price is not asked', async () => {
    first.onWork = busy
    const answer = await post('/v1/images/generations', { model: 'paints-once', prompt: 'A boat' })
    expect([answer.status, asks()]).toEqual([503, [1, 0]])
  })
})

describe('each target has its own way', () => {
  test('of counting: a text that falls back is charged by its bytes', async () => {
    const { charge } = await chargeOf(gateway, () => speak({ voice: 'alloy' }).then((answer) => answer.text()))
    expect(charge).toBe(charged(2n * 5n))
    first.onWork = busy
    const { result, charge: byBytes } = await chargeOf(gateway, async () => {
      const answer = await speak({ voice: 'alloy' })
      await answer.text()
      return answer
    })
    // Seven bytes, and its own voice for the name.
    expect(byBytes).toBe(charged(7n))
    expect(result.headers.get('x-svc-credits-charged')).toBe('8.4')
    expect(second.calls[0]?.json).toMatchObject({ voice: 'carl', model: 'two' })
    expect(await lastRecord(gateway)).toMatchObject({ units: { kind: 'bytes', quantity: 7 } })
  })

  test('of choosing what a request leaves open: the length of a video', async () => {
    first.onWork = busy
    const { result: submitted, charge } = await chargeOf(gateway, async () => {
      const job = (await (await submit()).json()) as { id: string; seconds: string; svc: object }
      await gateway.fetch(`/v1/videos/${job.id}`)
      return job
    })
    expect(second.calls[0]?.json).toMatchObject({ seconds: '6' })
    // Held is what the dearest of both would cost, which is this one: its least price.
    expect(submitted).toMatchObject({ seconds: '6', svc: { credits_estimate: 2_400 } })
    expect(charge).toBe(charged(2_000n))
  })
})

describe('a video belongs to who took it', () => {
  const jobs = () => gateway.gateway.database.read.selectFrom('video_job').selectAll().orderBy('job_id', 'desc')
  const newest = () => jobs().executeTakeFirstOrThrow()
  const alike = () => submit({ model: 'films-alike', duration: 4 })

  test('and is polled, and read, there alone', async () => {
    first.onWork = busy
    const { id } = (await (await alike()).json()) as { id: string }
    expect(await newest()).toMatchObject({ upstream: 'second', upstream_model: 'two', state: 'queued' })
    expect((await gateway.fetch(`/v1/videos/${id}`)).status).toBe(200)
    expect([first.polls, second.polls]).toEqual([[], ['job-1']])
  })

  test('and its hold names who is asked before that one answers', async () => {
    first.onWork = busy
    const holds = gateway.gateway.database.read.selectFrom('hold').select('progress').where('state', '=', 'held')
    let named: unknown = null
    second.onWork = async (call, response) => {
      named = JSON.parse((await holds.executeTakeFirstOrThrow()).progress ?? '{}')
      return busy(call, response)
    }
    expect((await alike()).status).toBe(503)
    expect(named).toMatchObject({ upstream: 'second', upstreamModel: 'two', charge: '0' })
    expect(await gateway.balance()).toMatchObject({ held: 0n })
  })

  test.each([
    ['is cut', (_call, response) => void response.destroy()],
    ['is no job', (_call, response) => sendJson(response, { object: 'video' })],
    ['times out on the way', (_call, response) => sendJson(response, { error: { message: 'late' } }, 504)],
  ] as readonly (readonly [string, StubHandler])[])(
    'and is not offered elsewhere where the answer %s: it may be made',
    async (_how, handler) => {
      first.onWork = handler
      const { result, charge } = await chargeOf(gateway, alike)
      expect([result.headers.get('x-should-retry'), asks(), charge]).toEqual(['false', [1, 0], 0n])
    },
  )
})

describe('the lists show the dearest', () => {
  const listed = async (path: string): Promise<Record<string, unknown>> => {
    const { data = [], ...one } = (await (await gateway.fetch(path)).json()) as { data?: { id: string }[] }
    return { ...one, ...data.find(({ id }) => id === 'paints' || id === 'films') }
  }

  test.each([
    ['paints', 'image', 24],
    // By the byte, since one of both sells so: a text has no fewer bytes than characters.
    ['speaks', 'byte', 2.4],
    ['hears', 'second', 24],
    ['films', 'second', 240],
  ] as const)('%s', async (model, unit, credits) => {
    expect((await listed(`/v1/models/${model}`))['svc']).toMatchObject({ unit, credits_per_unit: credits })
  })

  test('with every variant that one of them has', async () => {
    expect((await listed('/v1/images/models'))['pricing']).toEqual([
      { unit: 'image', credits: 24, quality: 'low' },
      { unit: 'image', credits: 360, quality: 'high' },
    ])
    expect((await listed('/v1/videos/models'))['pricing']).toEqual([{ unit: 'generation', credits: 2_400 }])
  })
})

test('a transcript of either costs what its upstream says', async () => {
  first.onWork = busy
  const body = new FormData()
  body.append('model', 'hears')
  body.append('file', new File([new Uint8Array(WAV)], 'a.wav'))
  const ask = () => gateway.fetch('/v1/audio/transcriptions', { method: 'POST', body })
  const { result, charge } = await chargeOf(gateway, ask)
  expect([charge, result.headers.get('x-svc-credits-charged')]).toEqual([charged(60n), '72'])
})
