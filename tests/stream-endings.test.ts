/** A stream that ends at an unusual moment leaves no hold open and costs nothing that was not delivered. */
import { connect } from 'node:net'
import { brotliCompressSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { beginStream, chunkText, startStubUpstream, type StubUpstream } from '../packages/server/testing/stub-upstream.ts'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { errorOf } from './error-of.ts'
import { createGate, question } from './open-stream.ts'

let stub: StubUpstream
let gateway: TestGateway
beforeAll(async () => {
  stub = await startStubUpstream()
})
afterAll(() => stub.close())
beforeEach(async () => {
  gateway = await startTestGateway({ upstreamUrl: stub.url })
})
afterEach(() => gateway.stop())

const body = question('svc-gpt', { max_tokens: 500, stream: true })

test('a stream that a revocation ends before its first content is refused and free', async () => {
  const begun = createGate()
  stub.onChat = (_call, response) => {
    beginStream(response)
    begun.open()
  }
  const answer = gateway.chat(body)
  await begun.opened
  await gateway.revokeKey(gateway.keyId)
  const response = await answer
  expect([response.status, (await errorOf(response)).code]).toEqual([401, 'invalid_api_key'])
  await gateway.settled()
  const records = await gateway.gateway.database.read.selectFrom('usage_record').selectAll().execute()
  expect(records).toMatchObject([{ status: 'error', error_code: 'invalid_api_key', charge: 0n }])
})

/** Asks on a bare socket that is read no further than the first bytes. */
async function askWithoutReading(): Promise<{ leave(): void }> {
  const { port, hostname } = new URL(gateway.baseUrl)
  const text = JSON.stringify(body)
  const head = ['POST /api/v1/chat/completions HTTP/1.1', 'host: test', `authorization: Bearer ${gateway.key}`]
  const socket = connect(Number(port), hostname)
  socket.write([...head, `content-length: ${text.length}`, '', text].join('\r\n'))
  await new Promise((resolve) => socket.once('readable', resolve))
  return { leave: () => void socket.destroy() }
}

test('a reader who leaves a compressed answer that has come whole leaves no hold open', async () => {
  // A few hundred bytes for the decoder, and far more than any socket takes for the reader.
  const event = `data: ${chunkText({ content: 'x'.repeat(60_000) })}\n\n`
  const bytes = brotliCompressSync(event.repeat(400))
  stub.onChat = (_call, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'br' }).end(bytes)
  }
  const reader = await askWithoutReading()
  await stub.chats.at(-1)?.closed
  reader.leave()
  await gateway.settled()
})
