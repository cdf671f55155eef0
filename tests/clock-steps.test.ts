/** The system's clock is set while a request runs: it is answered and charged as if nothing had happened. */
import { afterAll, describe, expect, test } from 'vitest'
import { sendCompletion, sendStream } from '../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { sendJson } from './audio-upstream.ts'
import { type Answered, KINDS, makerFile, useMediaStub, work } from './media-upstream.ts'

const DAY_MS = 86_400_000

const upstream = useMediaStub()
/** What is added to the system's time; what has passed is never changed. */
let movedMs = 0
/** What the next call of the upstream adds, while the request runs. */
let stepMs = 0
const step = (): void => void (movedMs += stepMs)

upstream.onWork = (call, response) => {
  step()
  if (!call.path.endsWith('/embeddings')) return work(call, response)
  const data = [{ object: 'embedding', index: 0, embedding: [0.5] }]
  return sendJson(response, { object: 'list', data, usage: { prompt_tokens: 3, total_tokens: 3 } })
}
upstream.stub.onChat = (call, response) => {
  step()
  return call.json?.['stream'] === true ? sendStream(response) : sendCompletion(response)
}
const gateway = useGateway(() => ({
  clock: { now: () => Date.now() + movedMs, elapsed: () => performance.now() },
  file: makerFile(upstream.url, { input: '1', output: '1' }),
}))
afterAll(() => void (movedMs = 0))

const post = async (path: string, body: object): Promise<Answered> => {
  const headers = { 'content-type': 'application/json' }
  const response = await gateway.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const talk = { model: 'talks', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 5 }

const REQUESTS: readonly (readonly [string, () => Promise<Answered>])[] = [
  ['a chat', () => post('/v1/chat/completions', talk)],
  ['a streamed chat', () => post('/v1/chat/completions', { ...talk, stream: true })],
  ['a text completion', () => post('/v1/completions', { model: 'talks', prompt: 'Hello', max_tokens: 5 })],
  ['a response', () => post('/v1/responses', { model: 'talks', input: 'Hello', store: false, max_output_tokens: 5 })],
  ['embeddings', () => post('/v1/embeddings', { model: 'talks', input: 'Hello' })],
  ...KINDS.map(({ name, model, ask }) => [name, () => ask(gateway, model)] as const),
]

async function spentBy(ask: () => Promise<Answered>): Promise<bigint> {
  const before = await gateway.balance()
  const { status, text } = await ask()
  expect([status, text]).toEqual([200, expect.not.stringMatching(/"error":\s?\{/)])
  const after = await gateway.balance()
  expect(after.held).toBe(0n)
  return before.posted - after.posted
}

describe.each([
  ['back by two seconds', -2_000],
  ['back by a day', -DAY_MS],
  ['ahead by a day', DAY_MS],
])('a clock that is set %s', (_name, ms) => {
  test.each(REQUESTS)('changes nothing about %s', async (_kind, ask) => {
    stepMs = 0
    movedMs = 0
    const ordinary = await spentBy(ask)
    expect(ordinary).toBeGreaterThan(0n)
    stepMs = ms
    expect(await spentBy(ask)).toBe(ordinary)
    const { database } = gateway.gateway
    for (const { latency_ms } of await database.read.selectFrom('usage_record').select('latency_ms').execute()) {
      expect(latency_ms).toBeLessThan(600_000)
    }
    stepMs = 0
    movedMs = 0
  })
})
