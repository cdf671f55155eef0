/** A database that comes back without the holds of running requests: each is still charged once, and nothing hangs. */
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import {
  beginStream,
  chunkText,
  sendCompletion,
  sendEvent,
  usageText,
} from '../packages/server/testing/stub-upstream.ts'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { ask, chargeIn, hasText, openStream, question, recordOf } from './open-stream.ts'

const stub = useStubUpstream()

/** Charge of the stub's ordinary answer: 10 and 5 tokens. */
const ORDINARY = 10n * 12_000n + 5n * 60_000n
const TOLD = 'the database had lost a hold'

/** Takes every open hold away, and what was kept back for it, as a fail-over does that lost the commits. */
async function loseHolds({ gateway }: TestGateway): Promise<void> {
  const { database } = gateway
  const { read } = database
  const removed = await database.write([
    read.deleteFrom('hold').where('state', '=', 'held').compile(),
    read.updateTable('balance').set({ held: 0n }).compile(),
    read.updateTable('budget_window').set({ reserved: 0n }).compile(),
  ])
  expect(removed[0]).toBe(1)
}

function endStream(response: ServerResponse): void {
  sendEvent(response, chunkText({}, 'stop'))
  sendEvent(response, usageText({ prompt_tokens: 10, completion_tokens: 5 }))
  sendEvent(response, '[DONE]')
  response.end()
}

describeEachEngine('a hold that the database has lost', (engine) => {
  test('is charged when its stream ends, is reported to the operator, and holds up no stop', async () => {
    const gateway = await startTestGateway({ engine, upstreamUrl: stub.url })
    const before = await gateway.balance()
    const { promise: begun, resolve } = Promise.withResolvers<ServerResponse>()
    stub.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ content: 'Hello there' }))
      resolve(response)
    }
    const stream = await openStream(gateway, question('svc-gpt', { max_tokens: 500 }))
    const upstream = await begun
    await stream.until(hasText)
    await loseHolds(gateway)
    endStream(upstream)
    const { text } = await stream.rest()
    expect(chargeIn(text)).toBe(ORDINARY)
    expect(await gateway.balance()).toEqual({ posted: before.posted - ORDINARY, held: 0n })
    expect(await recordOf(gateway, stream.requestId)).toMatchObject({ status: 'ok', stream: true })
    const lines = gateway.logged.filter((line) => line.includes(TOLD))
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ request_id: stream.requestId, charge: '0.00042' })
    await gateway.stop()
  })

  test('of a whole answer is charged, and of one that failed is nothing', async () => {
    const gateway = await startTestGateway({ engine, upstreamUrl: stub.url })
    const before = await gateway.balance()
    const body = question('svc-gpt', { max_tokens: 500, stream: false })
    stub.onChat = async (_call, response) => {
      await loseHolds(gateway)
      sendCompletion(response)
    }
    expect(chargeIn((await ask(gateway, body)).text)).toBe(ORDINARY)
    stub.onChat = async (_call, response) => {
      await loseHolds(gateway)
      response.writeHead(400).end('{"error":{"message":"no"}}')
    }
    expect((await ask(gateway, body)).status).toBe(400)
    expect(await gateway.balance()).toEqual({ posted: before.posted - ORDINARY, held: 0n })
    expect(gateway.logged.filter((line) => line.includes(TOLD))).toHaveLength(1)
    await gateway.stop()
  })

  test('a settlement of one nanocredit is booked, recorded and reported', async () => {
    const gateway = await startTestGateway({ engine, upstreamUrl: stub.url })
    const before = await gateway.balance()
    stub.onChat = (_call, response) => sendCompletion(response, { cost: '0.0000000000005' })
    const { requestId, text } = await ask(gateway, question('openai/gpt-4o', { stream: false, max_tokens: 10 }))
    expect(chargeIn(text)).toBe(1n)
    expect(await gateway.balance()).toEqual({ posted: before.posted - 1n, held: 0n })
    expect(await recordOf(gateway, requestId)).toMatchObject({ credits_charged: 1e-9, status: 'ok' })
    await gateway.stop()
  })
})
