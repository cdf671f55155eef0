/** Transcripts that an upstream sends piece by piece, and what becomes of those that end too soon. */
import type { ServerResponse } from 'node:http'
import { beforeEach, expect, test } from 'vitest'
import { makeWav } from '../packages/server/testing/make-wav.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { type AudioStub, audioStubOf, postForm, SECOND, sendJson } from './audio-upstream.ts'
import { chargeOf, lastRecord } from './charge-of.ts'
import { refusalOf } from './error-of.ts'
import { eventsIn } from './events-of.ts'

/** A minute. */
const WAV = new File([new Uint8Array(makeWav(44 + 60 * 8_000))], 'a.wav')

const stub = useStubUpstream()
let audio: AudioStub
const gateway = useGateway(() => ({
  ...{ upstreamUrl: stub.url, kind: 'openai-compatible' },
  file: { media_prices: { hears: { type: 'transcription', per_second: '0.0001' } } },
}))
beforeEach(() => {
  audio = audioStubOf(stub)
})

function ask(): Promise<Response> {
  return postForm(gateway, [
    ['file', WAV],
    ['model', 'hears'],
    ['stream', 'true'],
  ])
}

function begin(response: ServerResponse, ...deltas: string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const delta of deltas) send(response, { type: 'transcript.text.delta', delta })
}

function send(response: ServerResponse, event: object): void {
  response.write(`data: ${JSON.stringify(event)}\n\n`)
}

async function eventsOf(response: Response): Promise<Record<string, unknown>[]> {
  const events = eventsIn(await response.text())
  expect(events.pop()).toBe('[DONE]')
  return events.map((data) => JSON.parse(data))
}

test('pieces without a text stay here', async () => {
  audio.onTranscription = (_call, response) => {
    begin(response, 'Hel')
    for (const delta of [0, null, ['lo']]) send(response, { type: 'transcript.text.delta', delta })
    send(response, { type: 'transcript.text.delta' })
    send(response, { type: 'transcript.text.done', text: 'Hello.' })
    response.end('data: [DONE]\n\n')
  }
  const events = await eventsOf(await ask())
  expect(events.map(({ type, delta }) => [type, delta])).toEqual([
    ['transcript.text.delta', 'Hel'],
    ['transcript.text.done', undefined],
  ])
})

test('a break without a verdict is charged for the part that came', async () => {
  audio.onTranscription = (_call, response) => {
    begin(response, 'x'.repeat(40))
    setImmediate(() => response.destroy())
  }
  const { result, charge } = await chargeOf(gateway, async () => eventsOf(await ask()))
  expect(result.at(-1)).toMatchObject({ error: { code: 'upstream_error' } })
  expect(charge).toBe(3n * SECOND)
  expect(await lastRecord(gateway)).toMatchObject({
    ...{ status: 'incomplete', stream: true, estimated: true, error_code: 'upstream_error' },
    units: { kind: 'seconds', quantity: 3 },
  })
})

test('a stream that ends without its last event is such a break', async () => {
  audio.onTranscription = (_call, response) => {
    begin(response, 'Hello')
    response.end()
  }
  const { result, charge } = await chargeOf(gateway, async () => eventsOf(await ask()))
  expect(result.at(-1)).toMatchObject({ error: { code: 'upstream_error' } })
  expect(charge).toBe(SECOND)
})

test('an upstream that says itself that it failed is free', async () => {
  audio.onTranscription = (_call, response) => {
    begin(response, 'Hello')
    send(response, { error: { message: 'out of memory', type: 'server_error' } })
    response.end()
  }
  const { result, charge } = await chargeOf(gateway, async () => eventsOf(await ask()))
  expect(result.at(-1)).toMatchObject({ error: { code: 'upstream_error' } })
  expect(charge).toBe(0n)
})

test('a failure before the first piece has its true status, and is free', async () => {
  audio.onTranscription = (_call, response) => {
    begin(response)
    send(response, { error: { message: 'slow down', code: 'rate_limit_exceeded' } })
    response.end()
  }
  const { result, charge } = await chargeOf(gateway, async () => refusalOf(await ask()))
  expect([result, charge]).toEqual(['503 server_is_overloaded', 0n])
})

test('a server that knows of no streams answers whole, and its answer becomes one', async () => {
  audio.onTranscription = (_call, response) => sendJson(response, { text: 'Hello' })
  const { result, charge } = await chargeOf(gateway, async () => eventsOf(await ask()))
  expect(result).toMatchObject([
    { type: 'transcript.text.delta', delta: 'Hello' },
    {
      type: 'transcript.text.done',
      text: 'Hello',
      usage: { type: 'tokens', input_tokens: 0, output_tokens: 0, total_tokens: 0, seconds: 60 },
    },
  ])
  expect(charge).toBe(60n * SECOND)
})

test('a caller who leaves is charged: it was made for them', async () => {
  const client = new AbortController()
  const { charge } = await chargeOf(gateway, async () => {
    audio.onTranscription = async (call, response) => {
      client.abort()
      await new Promise((resolve) => setImmediate(resolve))
      begin(response, 'Hello')
      send(response, { type: 'transcript.text.done', text: 'Hello' })
      response.end()
      await call.closed
    }
    const body = new FormData()
    for (const [name, value] of [['model', 'hears'] as const, ['stream', 'true'] as const]) body.append(name, value)
    body.append('file', WAV)
    const init = { method: 'POST', body, signal: client.signal }
    await gateway.fetch('/v1/audio/transcriptions', init).catch(() => undefined)
  })
  expect(charge).toBe(60n * SECOND)
})
