/** The scripted models of the sandbox through a whole gateway: what a client sees is what their table promises. */
import { expect, test } from 'vitest'
import { useGateway } from '../packages/server/testing/use-gateway.ts'

const gateway = useGateway(() => {
  // So that one failure that counted would close a model, and be seen in the next case.
  return { file: { limits: { breaker_failures: 1, breaker_open_ms: 60_000 } } }
})

const messages = [{ role: 'user', content: 'Hello' }]

async function ask(script: string, stream: boolean): Promise<{ status: number; code: unknown; charged: bigint }> {
  const before = await gateway.balance()
  const answer = await gateway.chat({ model: `svc-sandbox/${script}`, messages, stream, max_tokens: 64 })
  const text = await answer.text()
  await gateway.settled()
  const { posted } = await gateway.balance()
  const code = /"code":"([a-z_]+)"/.exec(text)?.[1] ?? null
  return { status: answer.status, code, charged: before.posted - posted }
}

test.each([
  ['400', 400, 'upstream_rejected_request'],
  ['402', 402, 'insufficient_credits'],
  ['429', 503, 'server_is_overloaded'],
  ['500', 502, 'upstream_error'],
  ['503', 503, 'server_is_overloaded'],
  ['upstream-401', 503, 'upstream_unavailable'],
  ['upstream-402', 503, 'upstream_unavailable'],
  ['empty', 502, 'upstream_empty'],
  ['html-error', 502, 'upstream_error'],
  ['html-200', 502, 'upstream_error'],
  ['error-200', 502, 'upstream_error'],
])('%s is a %i %s, whole and streamed, and free', async (script, status, code) => {
  expect(await ask(script, false)).toEqual({ status, code, charged: 0n })
  expect(await ask(script, true)).toEqual({ status, code, charged: 0n })
})

test('a stream that breaks off ends with an error frame, and what came is charged', async () => {
  const { status, code, charged } = await ask('cut@3', true)
  expect([status, code]).toEqual([200, 'upstream_error'])
  expect(charged).toBeGreaterThan(0n)
})

test.each(['no-usage', 'length'])('%s is an ordinary answer and charged', async (script) => {
  for (const stream of [false, true]) {
    const { status, code, charged } = await ask(script, stream)
    expect([status, code]).toEqual([200, null])
    expect(charged).toBeGreaterThan(0n)
  }
})

test('what scripts play says nothing of the health, and opens no circuit', async () => {
  const headers = { 'content-type': 'application/json' }
  const fail = async (path: string, body: object): Promise<number> =>
    (await gateway.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })).status
  for (let turn = 0; turn < 3; turn++) {
    const statuses = await Promise.all([
      fail('/v1/chat/completions', { model: 'svc-sandbox/500', messages }),
      fail('/v1/embeddings', { model: 'svc-sandbox/embedding-500', input: 'a' }),
      fail('/v1/images/generations', { model: 'svc-sandbox/image-500', prompt: 'a' }),
      fail('/v1/videos', { model: 'svc-sandbox/video-500', prompt: 'a' }),
      fail('/v1/audio/speech', { model: 'svc-sandbox/speech-500', input: 'a', voice: 'alloy' }),
    ])
    expect(statuses).toEqual([502, 502, 502, 502, 502])
  }
  expect(await (await gateway.fetch('/health')).json()).toMatchObject({
    ...{ status: 'ok', circuits: { open: 0, half_open: 0 } },
    routing: { text: 'ok', image: 'ok', video: 'ok', audio: 'ok' },
  })
})
