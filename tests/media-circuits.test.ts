/** Circuits of media: an upstream that keeps failing at images or audio is left alone, and nothing stays held. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startStubUpstream, type StubUpstream } from '../packages/server/testing/stub-upstream.ts'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { SPEECH, WHISPER } from './audio-upstream.ts'
import { errorOf } from './error-of.ts'
import { makeWav } from '../packages/server/testing/make-wav.ts'
import { VIDEO_MODEL } from './video-gateway.ts'

let stub: StubUpstream
let gateway: TestGateway
let calls = 0
let status = 503
beforeEach(async () => {
  stub = await startStubUpstream()
  const file = { limits: { breaker_failures: 3, breaker_open_ms: 3_600_000 } }
  gateway = await startTestGateway({ upstreamUrl: stub.url, file })
  calls = 0
  status = 503
  stub.onOther = (call, response) => {
    if (call.method === 'POST') calls++
    const body = JSON.stringify({ error: { code: status, message: 'no' } })
    response.writeHead(call.method === 'POST' ? status : 404, { 'content-type': 'application/json' }).end(body)
  }
})
afterEach(async () => {
  await gateway.stop()
  await stub.close()
})

const json = (path: string, body: object) => (): Promise<Response> =>
  gateway.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const image = json('/v1/images/generations', { model: 'x-ai/grok-imagine-image-2.0', prompt: 'A lighthouse' })

const KINDS: readonly (readonly [string, () => Promise<Response>])[] = [
  ['images', image],
  ['speech', json('/v1/audio/speech', { model: SPEECH, input: 'Hello.', voice: 'nova' })],
  ['videos', json('/v1/videos/generations', { model: VIDEO_MODEL, prompt: 'A boat.', duration: 4 })],
  [
    'transcripts',
    () => {
      const body = new FormData()
      body.append('file', new File([new Uint8Array(makeWav(8_044))], 'a.wav', { type: 'audio/wav' }))
      body.append('model', WHISPER)
      return gateway.fetch('/v1/audio/transcriptions', { method: 'POST', body })
    },
  ],
]

test.each(KINDS)('%s are not asked for again at an upstream that keeps failing', async (_kind, ask) => {
  for (let turn = 0; turn < 3; turn++) expect((await ask()).status).toBe(503)
  const asked = calls
  const records = await gateway.gateway.database.read.selectFrom('hold').select('hold_id').execute()
  const left = await ask()
  expect([left.status, (await errorOf(left)).code, left.headers.get('retry-after')]).toEqual([
    503,
    'upstream_unavailable',
    '60',
  ])
  expect(calls).toBe(asked)
  // Not even a hold was placed for it.
  expect(await gateway.gateway.database.read.selectFrom('hold').select('hold_id').execute()).toHaveLength(
    records.length,
  )
  expect(await gateway.balance()).toMatchObject({ held: 0n })
  const health = (await (await gateway.fetch('/health')).json()) as { circuits: object }
  expect(health.circuits).toMatchObject({ open: 1 })
})

test('a request that the upstream refuses opens nothing', async () => {
  status = 400
  for (let turn = 0; turn < 10; turn++) expect((await image()).status).toBe(400)
  expect(calls).toBe(10)
})

test('an upstream that has no credit for us is left alone for chats as well', async () => {
  status = 402
  expect((await image()).status).toBe(503)
  const chat = await gateway.chat({ model: 'svc-gpt', messages: [{ role: 'user', content: 'Hi' }] })
  expect([chat.status, stub.chats.length]).toEqual([503, 0])
})
