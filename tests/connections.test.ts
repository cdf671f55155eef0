/** A connection carries one answer for each request, in order, whatever follows a request on it. */
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import {
  beginStream,
  chunkText,
  sendCompletion,
  sendEvent,
  usageText,
} from '../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { errorOf } from './error-of.ts'

const stub = useStubUpstream()
const gateway = useGateway(() => ({ upstreamUrl: stub.url }))

interface Talk {
  /** All that came so far. */
  text(): string
  send(text: string): void
  /** Resolves once the text has come. */
  heard(text: string): Promise<void>
  /** Resolves with all that came, once the gateway has closed. */
  readonly closed: Promise<string>
}

function talk(): Talk {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(gateway.baseUrl).port) })
  let text = ''
  let onData = (): void => undefined
  socket.setEncoding('utf8').on('data', (more: string) => {
    text += more
    onData()
  })
  socket.on('error', () => undefined)
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)))
  const heard = (wanted: string): Promise<void> =>
    new Promise((resolve, reject) => {
      onData = () => text.includes(wanted) && resolve()
      onData()
      void closed.then(() => reject(new Error(`closed before ${wanted}: ${text}`)))
    })
  return { text: () => text, send: (more) => void socket.write(more), heard, closed }
}

function head(line: string, headers: readonly string[] = []): string {
  return `${line} HTTP/1.1\r\n${['host: a', `authorization: Bearer ${gateway.key}`, ...headers].join('\r\n')}\r\n\r\n`
}

function statusesIn(text: string): string[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => match[1] ?? '')
}

const body = JSON.stringify({ model: 'svc-gpt', stream: true, messages: [{ role: 'user', content: 'Hello' }] })

test('nonsense behind a request is never written into the stream that answers it', async () => {
  const { promise: release, resolve } = Promise.withResolvers<void>()
  stub.onChat = async (_call, response) => {
    beginStream(response)
    sendEvent(response, chunkText({ content: 'first' }))
    await release
    sendEvent(response, chunkText({}, 'stop'))
    sendEvent(response, usageText({ prompt_tokens: 10, completion_tokens: 5 }))
    sendEvent(response, '[DONE]')
    response.end()
  }
  const client = talk()
  client.send(`${head('POST /api/v1/chat/completions', [`content-length: ${body.length}`])}${body}`)
  await client.heard('first')
  for (let piece = 0; piece < 20; piece++) {
    client.send('this is no request\r\n\r\n')
    await gateway.fetch('/health')
  }
  // The refusal of another connection shows that the gateway has read on meanwhile.
  const other = talk()
  other.send('nor is this\r\n\r\n')
  expect(statusesIn(await other.closed)).toEqual(['400'])
  resolve()
  const all = await client.closed
  expect(statusesIn(all)).toEqual(['200'])
  expect(all).toContain('data: [DONE]')
  expect(all).toContain('"svc":')
})

test('a request whose body breaks after its answer gets no second one', async () => {
  stub.onChat = (_call, response) => sendCompletion(response)
  const client = talk()
  client.send(head('GET /api/health', ['transfer-encoding: chunked']))
  await client.heard('"status"')
  client.send('zz\r\n')
  expect(statusesIn(await client.closed)).toEqual(['200'])
})

test.each([
  ['no host', 'GET /api/health HTTP/1.1\r\n\r\n'],
  ['two hosts', 'GET /api/health HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n'],
  ['no version', 'GET /api/health\r\nhost: a\r\n\r\n'],
])('a request with %s is a 400 in the shape of every error, and ends the connection', async (_what, request) => {
  const client = talk()
  client.send(request)
  const answer = await client.closed
  expect(statusesIn(answer)).toEqual(['400'])
  expect(answer).toMatch(/x-request-id: [0-9a-f-]{36}/)
  expect(answer).toContain('"code":"invalid_value"')
})

test('an unknown expectation is no reason to refuse', async () => {
  const client = talk()
  client.send(head('GET /api/health', ['expect: 200-maybe', 'connection: close']))
  expect(statusesIn(await client.closed)).toEqual(['200'])
})

test('a long id is nowhere, not a failure', async () => {
  const answer = await gateway.fetch(`/v1/usage/${'a'.repeat(600)}`)
  expect(answer.status).toBe(404)
  expect((await errorOf(answer)).code).toBe('unknown_url')
})

test('OPTIONS without the headers of a browser is answered like any other', async () => {
  const answer = await gateway.fetch('/v1/models', { method: 'OPTIONS' })
  expect(answer.status).toBe(204)
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
})
