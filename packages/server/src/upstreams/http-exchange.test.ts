import { brotliCompressSync } from 'node:zlib'
import { Agent } from 'undici'
import { expect, test } from 'vitest'
import { useStubUpstream } from '../../testing/use-stub-upstream.ts'
import { collectResponse, type ExchangeRequest, startExchange } from './http-exchange.ts'

const stub = useStubUpstream()

function requestTo(path: string): ExchangeRequest {
  return { origin: new URL(stub.url).origin, path, method: 'GET', headers: {}, body: null }
}

test('an abort ends an answer that has come whole and waits in its decoder', async () => {
  const dispatcher = new Agent({ connections: 1, pipelining: 1 })
  const bytes = brotliCompressSync(Buffer.alloc(4_000_000))
  stub.onOther = ({ path }, response) => {
    response.writeHead(200, path === '/packed' ? { 'content-encoding': 'br' } : {})
    response.end(path === '/packed' ? bytes : '')
  }
  const { promise: outcome, resolve } = Promise.withResolvers<Error | null>()
  const exchange = startExchange(dispatcher, requestTo('/packed'), {
    start: () => undefined,
    data: () => exchange.pause(),
    end: () => resolve(null),
    fail: resolve,
  })
  // There is one connection, so the first answer has come whole once the second one is there.
  await collectResponse(dispatcher, requestTo('/next'), { signal: new AbortController().signal, bytesMax: 100 })
  const reason = new Error('enough')
  exchange.abort(reason)
  expect(await outcome).toBe(reason)
  await dispatcher.destroy()
})

// Some frameworks answer every POST with 201.
test.each([
  [201, 200],
  [202, 200],
  [203, 200],
  [204, 204],
  [206, 206],
])('an answer of status %i is read as one of %i', async (sent, read) => {
  const dispatcher = new Agent()
  stub.onOther = (_call, response) => void response.writeHead(sent).end(sent === 204 ? undefined : '{}')
  const limits = { signal: new AbortController().signal, bytesMax: 100 }
  expect((await collectResponse(dispatcher, requestTo('/'), limits)).status).toBe(read)
  await dispatcher.destroy()
})
