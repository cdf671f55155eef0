/** The scripted models of the sandbox through a whole gateway: what a client sees is what their table promises. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startTestGateway({ credits: '100' })
})
afterAll(() => gateway.stop())

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
