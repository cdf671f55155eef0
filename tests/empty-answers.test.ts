/** One throttle for every kind of request: an account that provokes free answers waits, whatever it asks for next. */
import { beforeEach, describe, expect, test } from 'vitest'
import { sendCompletion } from '../packages/server/testing/stub-upstream.ts'
import { useGatewayPerTest } from '../packages/server/testing/use-gateway.ts'
import { sendJson } from './audio-upstream.ts'
import { type Answered, KINDS, makerFile, useMediaStub } from './media-upstream.ts'

const upstream = useMediaStub()
beforeEach(() => {
  upstream.reset()
  upstream.stub.onChat = (_call, response) => sendCompletion(response, { text: '', usage: null })
})
const gateway = useGatewayPerTest(() => {
  // A wait of a second must not pass while the test asks.
  const now = Date.now()
  const file = makerFile(upstream.url, { input: '1', output: '1' })
  return { clock: { now: () => now }, file: { ...file, limits: { free_answers: 3 } } }
})

const post = async (path: string, body: object): Promise<Answered> => {
  const headers = { 'content-type': 'application/json' }
  const response = await gateway.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const messages = [{ role: 'user', content: 'Hello' }]
const talk = { model: 'talks', messages, max_tokens: 5 }

/** Every kind of paid request. */
const REQUESTS: readonly (readonly [string, () => Promise<Answered>])[] = [
  ['chats', () => post('/v1/chat/completions', talk)],
  ['streamed chats', () => post('/v1/chat/completions', { ...talk, stream: true })],
  ['text completions', () => post('/v1/completions', { model: 'talks', prompt: 'Hello', max_tokens: 5 })],
  ['responses', () => post('/v1/responses', { model: 'talks', input: 'Hello', store: false, max_output_tokens: 5 })],
  ['messages', () => post('/v1/messages', talk)],
  ['embeddings', () => post('/v1/embeddings', { model: 'talks', input: 'Hello' })],
  ['rankings', () => post('/v1/rerank', { model: 'talks', query: 'Hello', documents: ['Hello'] })],
  ['moderations', () => post('/v1/moderations', { model: 'talks', input: 'Hello' })],
  ...KINDS.map(({ name, model, ask }) => [name, () => ask(gateway, model)] as const),
]

async function provoke(times: number): Promise<void> {
  for (let turn = 0; turn < times; turn++) {
    expect((await post('/v1/chat/completions', talk)).status).toBe(502)
  }
}

describe.each(REQUESTS)('%s', (_kind, ask) => {
  test('wait like every other request once chats were empty too often', async () => {
    await provoke(4)
    const asked = upstream.calls.length + upstream.stub.chats.length
    const { status, headers, text } = await ask()
    expect([status, headers.get('retry-after'), text]).toEqual([429, '1', expect.stringContaining('without content')])
    expect(upstream.calls.length + upstream.stub.chats.length).toBe(asked)
    expect((await gateway.balance()).held).toBe(0n)
  })
})

test('free answers of every kind count together', async () => {
  upstream.onWork = (_call, response) => sendJson(response, { created: 1, data: [] })
  const images = () => post('/v1/images/generations', { model: 'paints', prompt: 'A boat' })
  expect((await images()).status).toBe(502)
  expect((await images()).status).toBe(502)
  expect((await post('/v1/embeddings', { model: 'talks', input: 'Hello' })).status).toBe(502)
  await provoke(1)
  expect((await images()).status).toBe(429)
})

test('a video that fails and is billed counts as a free answer', async () => {
  const film = () => post('/v1/videos/generations', { model: 'films', prompt: 'A boat.', duration: 4 })
  const failed = { id: 'job-1', object: 'video', status: 'failed', error: { code: 'x', message: 'no' }, cost: 0.2 }
  const { onOther } = upstream.stub
  upstream.stub.onOther = (call, response) =>
    call.method === 'GET' && call.path.includes('/videos/') ? sendJson(response, failed) : onOther(call, response)
  for (let turn = 0; turn < 4; turn++) {
    const submitted = await film()
    expect(submitted.status).toBe(200)
    const { id } = JSON.parse(submitted.text) as { id: string }
    const polled = (await (await gateway.fetch(`/v1/videos/${id}`)).json()) as { status: string }
    expect(polled.status).toBe('failed')
  }
  upstream.stub.onOther = onOther
  expect((await film()).status).toBe(429)
})
