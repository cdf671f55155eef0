/** Headers that two readers of one request could understand differently. */
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { rawRequest } from '../packages/server/testing/raw-request.ts'
import { sendCompletion } from '../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'

const stub = useStubUpstream()
stub.onChat = (_call, response) => sendCompletion(response)
const gateway = useGateway(() => ({ upstreamUrl: stub.url }))
let other: string

beforeAll(async () => {
  other = (await gateway.createKey()).rawKey
})
beforeEach(() => {
  stub.chats.length = 0
})

const requests = {
  '/api/v1/chat/completions': { model: 'svc-gpt', max_tokens: 5, messages: [{ role: 'user', content: 'x' }] },
  '/api/v1/messages': { model: 'svc-gpt', max_tokens: 5, messages: [{ role: 'user', content: 'x' }] },
  '/api/v1/completions': { model: 'svc-gpt', max_tokens: 5, prompt: 'x' },
  '/api/v1/responses': { model: 'svc-gpt', input: 'x' },
} as const

describe.each(Object.entries(requests))('POST %s', (path, body) => {
  const post = (...headers: string[]) =>
    rawRequest(gateway.baseUrl, {
      method: 'POST',
      path,
      headers: [...(headers.includes('content-type') ? [] : ['content-type', 'application/json']), ...headers],
      body: JSON.stringify(body),
    })
  const bearer = (): string => `Bearer ${gateway.key}`

  test.each(['Authorization', 'authorization', 'AUTHORIZATION'])(
    'two keys in Authorization and %s are no key, in any order, also when they are the same',
    async (name) => {
      for (const second of [`Bearer ${other}`, bearer(), 'Bearer wrong', 'Basic eDp5', '']) {
        expect((await post('Authorization', bearer(), name, second)).status).toBe(401)
        expect((await post(name, second, 'Authorization', bearer())).status).toBe(401)
      }
      expect(stub.chats).toEqual([])
    },
  )

  test('a key in x-api-key beside another one in Authorization is refused where it is read', async () => {
    const status = path === '/api/v1/messages' ? 401 : 200
    expect((await post('authorization', bearer(), 'x-api-key', other)).status).toBe(status)
    stub.chats.length = 0
    expect((await post('authorization', bearer(), 'x-api-key', gateway.key, 'x-api-key', other)).status).toBe(401)
    expect(stub.chats).toEqual([])
  })

  test('the same key in both, or a key of another service in x-api-key, is served', async () => {
    expect((await post('authorization', bearer(), 'x-api-key', gateway.key)).status).toBe(200)
    expect((await post('authorization', bearer(), 'x-api-key', 'sk-ant-api03-something')).status).toBe(200)
  })

  test.each([
    ['idempotency-key', 'a', 'b'],
    ['idempotency-key', 'a', 'a'],
    ['content-type', 'application/json', 'application/json'],
    ['content-encoding', 'identity', 'gzip'],
    ['host', 'a.example', 'b.example'],
  ])('two headers %s (%s, %s) are a 400', async (name, first, second) => {
    const answer = await post('authorization', bearer(), name, first, name, second)
    expect([answer.status, stub.chats]).toEqual([400, []])
  })
})

/** Sends bytes on a connection of their own, and hears the answer to its end. */
async function statusOf(head: readonly string[], body: string): Promise<string> {
  const { hostname, port } = new URL(gateway.baseUrl)
  const socket = connect(Number(port), hostname)
  const lines = ['POST /api/v1/chat/completions HTTP/1.1', 'host: a', 'connection: close', ...head]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
  return (await text(socket)).split('\r\n')[0] ?? ''
}

test.each([
  [['content-length: 2', 'content-length: 2'], '{}'],
  [['content-length: 2', 'content-length: 3'], '{} '],
  [['content-length: 2', 'transfer-encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n'],
  [['transfer-encoding: chunked', 'content-length: 2'], '2\r\n{}\r\n0\r\n\r\n'],
  [['transfer-encoding: chunked', 'transfer-encoding: identity'], '2\r\n{}\r\n0\r\n\r\n'],
  [['transfer-encoding: chunked', 'transfer-encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n'],
])('a body with two lengths (%s) is a 400', async (head, body) => {
  const given = [`authorization: Bearer ${gateway.key}`, 'content-type: application/json', ...head]
  expect(await statusOf(given, body)).toBe('HTTP/1.1 400 Bad Request')
})
