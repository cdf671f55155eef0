/** Requests that cannot be answered: each gets a true status and OpenAI's shape of an error, and costs nothing. */
import { Agent, request as httpRequest } from 'node:http'
import { connect, createServer } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import OpenAI from 'openai'
import { beforeEach, describe, expect, test } from 'vitest'
import { writeClientError } from '../packages/server/src/edge/client-error.ts'
import { createLogger } from '../packages/server/src/platform/runtime/log.ts'
import { sendCompletion, sendStream } from '../packages/server/testing/stub-upstream.ts'
import { startTestGateway } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { chargeOf, failureOf } from './charge-of.ts'
import { errorOf, wireErrorIn } from './error-of.ts'
import { QUESTION } from './events-of.ts'
import { eventually } from '../packages/server/testing/eventually.ts'

const MIB = 1024 * 1024

const stub = useStubUpstream()
const gateway = useGateway(() => ({ upstreamUrl: stub.url, credits: '1000000' }))

beforeEach(() => {
  stub.chats.length = 0
  stub.onChat = (call, response) => (call.json?.['stream'] === true ? sendStream(response) : sendCompletion(response))
})

/** A chat body of a size, most of it one image. */
function imageOf(bytes: number): string {
  const url = `data:image/png;base64,${'A'.repeat(bytes)}`
  const content = [
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url } },
  ]
  return JSON.stringify({ model: 'svc-gpt', max_tokens: 10, messages: [{ role: 'user', content }] })
}

interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

/** Posts with Node's own client, which sends all it has before it reads. */
function post(body: string, options: { readonly agent?: Agent; readonly chunked?: boolean } = {}): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const length = options.chunked === true ? {} : { 'content-length': Buffer.byteLength(body) }
    const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json', ...length }
    const { agent } = options
    const url = `${gateway.v1}/chat/completions`
    const sent = httpRequest(
      url,
      { method: 'POST', headers, ...(agent === undefined ? {} : { agent }) },
      (response) => {
        textOf(response).then(
          (text) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
          reject,
        )
      },
    )
    sent.on('error', reject)
    for (let at = 0; at < body.length; at += MIB) sent.write(body.slice(at, at + MIB))
    sent.end()
  })
}

/** Sends bytes as they are and reads everything that comes back. */
async function sendRaw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(bytes)
  return textOf(socket)
}

/** Checks an error that came as raw bytes, and returns its code. */
function rawErrorIn(answer: string, status: number): string {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} [A-Z]`))
  expect(head).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/i)
  expect(head).toMatch(/\r\nconnection: close/i)
  expect(head).toContain(`content-length: ${Buffer.byteLength(body)}`)
  return wireErrorIn(JSON.parse(body), status).code
}

const gatewayPort = (): number => Number(new URL(gateway.v1).port)

describe('size', () => {
  // B084
  test.each([1.2, 12, 30])('an image of %d MB is an ordinary request', { timeout: 180_000 }, async (megabytes) => {
    const body = imageOf(megabytes * 1e6)
    const answer = await post(body)
    expect(answer.status).toBe(200)
    expect(stub.chats[0]!.text.length).toBeGreaterThan(megabytes * 1e6)
  })

  test.each([
    ['with a length', false],
    ['in chunks', true],
  ])('a larger body sent %s gets a 413, readable by a client that sends all of it first', async (_how, chunked) => {
    const body = imageOf(33 * MIB)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const { result, charge } = await chargeOf(gateway, () => post(body, { agent, chunked }))
    expect(result.status).toBe(413)
    expect(result.headers['connection']).toBe('close')
    const error = wireErrorIn(JSON.parse(result.text), 413)
    expect(error).toMatchObject({ code: 'request_too_large', message: expect.stringContaining('33554432') })
    expect([charge, stub.chats.length]).toEqual([0n, 0])
    // The next request of the same client is not harmed.
    expect((await post(JSON.stringify(QUESTION), { agent })).status).toBe(200)
    agent.destroy()
  })

  test('the official client reads a 413, too', async () => {
    const client = new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key, maxRetries: 0 })
    const content = 'x'.repeat(33 * MIB)
    const failed = await failureOf(
      client.chat.completions.create({ model: 'svc-gpt', messages: [{ role: 'user', content }] }),
    )
    expect(failed).toMatchObject({ status: 413, code: 'request_too_large' })
  })

  test('headers that are too large get a 413', async () => {
    const answer = await sendRaw(
      gatewayPort(),
      `GET /api/health HTTP/1.1\r\nhost: x\r\nx-a: ${'a'.repeat(70_000)}\r\n\r\n`,
    )
    expect(rawErrorIn(answer, 413)).toBe('request_too_large')
  })
})

describe('bodies', () => {
  // B086
  test.each([
    ['half a JSON', '{"model":', 'invalid_json'],
    ['an array', '[]', 'invalid_json'],
    ['null', 'null', 'invalid_json'],
    ['a string', '"x"', 'invalid_json'],
    ['a number', '7', 'invalid_json'],
    ['nothing', '', 'invalid_json'],
    ['white space', ' \n', 'invalid_json'],
    ['two values', '{}{}', 'invalid_json'],
    ['a comment', '{"model":"svc-gpt"/* x */}', 'invalid_json'],
    ['a trailing comma', '{"model":"svc-gpt",}', 'invalid_json'],
    ['NaN', '{"model":"svc-gpt","temperature":NaN}', 'invalid_json'],
    ['deep nesting', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'invalid_value'],
    ['an empty object', '{}', 'missing_required_parameter'],
    ['no model', '{"messages":[{"role":"user","content":"x"}]}', 'missing_required_parameter'],
    ['a model that is a number', '{"model":7,"messages":[{"role":"user","content":"x"}]}', 'invalid_value'],
    ['no messages', '{"model":"svc-gpt"}', 'missing_required_parameter'],
    ['empty messages', '{"model":"svc-gpt","messages":[]}', 'empty_content'],
    ['messages that are text', '{"model":"svc-gpt","messages":"x"}', 'invalid_value'],
    ['a message that is null', '{"model":"svc-gpt","messages":[null]}', 'invalid_value'],
    ['an unknown role', '{"model":"svc-gpt","messages":[{"role":"king","content":"x"}]}', 'invalid_value'],
    ['a blank prompt', '{"model":"svc-gpt","messages":[{"role":"user","content":" "}]}', 'empty_content'],
    [
      'stream as text',
      '{"model":"svc-gpt","stream":"true","messages":[{"role":"user","content":"x"}]}',
      'invalid_value',
    ],
    ['no tokens', '{"model":"svc-gpt","max_tokens":0,"messages":[{"role":"user","content":"x"}]}', 'invalid_value'],
  ])('%s is a 400 and reaches no upstream', async (_what, body, code) => {
    const response = await gateway.chat(body)
    expect([response.status, (await errorOf(response)).code]).toEqual([400, code])
    expect(stub.chats).toEqual([])
  })

  test('bytes that are no UTF-8 are a 400', async () => {
    const body = Buffer.concat([
      Buffer.from('{"model":"svc-gpt","messages":[{"role":"user","content":"'),
      Buffer.from([0xff, 0xfe]),
    ])
    const response = await gateway.fetch('/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.concat([body, Buffer.from('"}]}')]),
    })
    expect([response.status, (await errorOf(response)).code]).toEqual([400, 'invalid_json'])
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'x',
  ])('the content type %s is a 400', async (type) => {
    const response = await gateway.chat(QUESTION, { headers: { 'content-type': type } })
    expect([response.status, (await errorOf(response)).code]).toEqual([400, 'unsupported_media_type'])
    expect(stub.chats).toEqual([])
  })

  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON', 'application/vnd.api+json'])(
    'the content type %s is JSON',
    async (type) => {
      expect((await gateway.chat(QUESTION, { headers: { 'content-type': type } })).status).toBe(200)
    },
  )

  test('a compressed body is refused as one', async () => {
    for (const [path, type] of [
      ['/v1/chat/completions', 'application/json'],
      ['/v1/audio/transcriptions', 'multipart/form-data; boundary=x'],
    ] as const) {
      const headers = { 'content-type': type, 'content-encoding': 'gzip' }
      const response = await gateway.fetch(path, { method: 'POST', headers, body: gzipSync(JSON.stringify(QUESTION)) })
      expect([response.status, (await errorOf(response)).code]).toEqual([400, 'unsupported_media_type'])
    }
    const plain = { 'content-encoding': 'identity', 'content-type': 'application/json' }
    expect((await gateway.chat(QUESTION, { headers: plain })).status).toBe(200)
  })

  test('an absent content type is taken for JSON', async () => {
    const body = JSON.stringify(QUESTION)
    const authorization = `authorization: Bearer ${gateway.key}`
    const head = `POST /api/v1/chat/completions HTTP/1.1\r\nhost: x\r\n${authorization}\r\nconnection: close\r\n`
    const answer = await sendRaw(gatewayPort(), `${head}content-length: ${body.length}\r\n\r\n${body}`)
    expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n/)
  })

  test('a client that breaks off in its body harms no other client', async () => {
    const socket = connect(gatewayPort(), '127.0.0.1')
    const head = `POST /api/v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.key}\r\n`
    const lines = gateway.logged.length
    socket.write(`${head}content-length: 1000\r\n\r\n{"model"`, () => socket.destroy())
    await eventually(() => expect(gateway.logged.slice(lines).join('')).toContain('"status":499'))
    expect(stub.chats).toEqual([])
    expect((await gateway.chat(QUESTION)).status).toBe(200)
  })
})

describe('the shape of every error', () => {
  // B087
  const chat = (more: object = {}, init = {}): Promise<Response> => gateway.chat({ ...QUESTION, ...more }, init)
  const cases: readonly [number, string, () => Promise<Response>][] = [
    [400, 'invalid_value', () => chat({ n: 0 })],
    [401, 'invalid_api_key', () => chat({}, { key: null })],
    [401, 'invalid_api_key', () => chat({}, { key: 'sk-svc-wrong' })],
    [402, 'insufficient_credits', () => poorChat()],
    [
      403,
      'model_not_allowed',
      async () => chat({}, { key: (await gateway.createKey({ models: ['svc-llama'] })).rawKey }),
    ],
    [404, 'model_not_found', () => chat({ model: 'no-such-model' })],
    [404, 'model_not_found', () => gateway.fetch('/v1/models/no-such-model')],
    [400, 'unsupported_media_type', () => gateway.fetch('/v1/responses', { method: 'POST', body: '{}' })],
    [404, 'unknown_url', () => gateway.fetch('/v1/nothing')],
    [404, 'unknown_url', () => gateway.fetch('/v1/%')],
    [404, 'usage_not_found', () => gateway.fetch('/v1/usage/00000000-0000-7000-8000-000000000000')],
    [405, 'method_not_allowed', () => gateway.fetch('/v1/chat/completions')],
    [405, 'method_not_allowed', () => gateway.fetch('/v1/balance', { method: 'DELETE' })],
    // Neighbours take an id there.
    [405, 'method_not_allowed', () => gateway.fetch('/deposits/claim')],
    [405, 'method_not_allowed', () => gateway.fetch('/deposits/wallets/challenge', { method: 'DELETE' })],
  ]

  async function poorChat(): Promise<Response> {
    const poor = await startTestGateway({ upstreamUrl: stub.url, credits: '0.001' })
    const response = await poor.chat({ ...QUESTION, max_tokens: 1_000 })
    await poor.stop()
    return response
  }

  test.each(cases)('%d %s', async (status, code, ask) => {
    const response = await ask()
    expect([response.status, (await errorOf(response)).code]).toEqual([status, code])
    if (status === 405) expect(response.headers.get('allow')).toMatch(/^(POST|GET)$/)
    if (status === 401) expect(response.headers.get('www-authenticate')).toBe('Bearer')
  })

  test('429 names when to come back', async () => {
    const slow = await startTestGateway({ upstreamUrl: stub.url, file: { limits: { requests_per_minute: 6 } } })
    await slow.fetch('/v1/balance')
    const response = await slow.fetch('/v1/balance')
    await slow.stop()
    expect([response.status, (await errorOf(response)).code]).toEqual([429, 'rate_limit_exceeded'])
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  test.each([
    ['ERR_HTTP_REQUEST_TIMEOUT', 408, 'request_timeout'],
    ['HPE_HEADER_OVERFLOW', 413, 'request_too_large'],
    ['HPE_INVALID_METHOD', 400, 'invalid_value'],
  ])('what the parser refuses with %s gets %d', async (parserCode, status, code) => {
    const deps = {
      log: createLogger({ level: 'silent' }),
      metrics: null,
      createRequestId: () => '00000000-0000-7000-8000-000000000000',
    }
    const server = createServer((socket) =>
      writeClientError(deps, Object.assign(new Error('x'), { code: parserCode }), socket),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const answer = await sendRaw(typeof address === 'object' && address !== null ? address.port : 0, 'x')
    server.close()
    expect(rawErrorIn(answer, status)).toBe(code)
  })

  test.each(['NONSENSE\r\n\r\n', 'GET /api/health HTTP/9.9\r\n\r\n', 'GET / HTTP/1.1\r\nhost x\r\n\r\n'])(
    'bytes that are no HTTP are a 400: %j',
    async (bytes) => {
      expect(rawErrorIn(await sendRaw(gatewayPort(), bytes), 400)).toBe('invalid_value')
    },
  )

  test('two readings of where a body ends are refused', async () => {
    const head = `POST /api/v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.key}\r\n`
    const answer = await sendRaw(
      gatewayPort(),
      `${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    )
    expect(rawErrorIn(answer, 400)).toBe('invalid_value')
  })

  test('the official client shows the sentence of an error, not that there is none', async () => {
    const client = new OpenAI({ baseURL: gateway.v1, apiKey: 'sk-svc-wrong', maxRetries: 0 })
    const failed = await failureOf(client.chat.completions.create({ ...QUESTION, messages: [...QUESTION.messages] }))
    expect(String(failed)).not.toContain('no body')
    expect(failed).toMatchObject({ status: 401, code: 'invalid_api_key', type: 'invalid_request_error' })
  })
})

describe('browsers', () => {
  test('a preflight of any origin is answered, without a key', async () => {
    const response = await gateway.fetch('/v1/chat/completions', {
      method: 'OPTIONS',
      key: null,
      headers: {
        origin: 'https://app.example.com',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-stainless-lang',
      },
    })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
    expect(response.headers.get('access-control-allow-methods')).toContain('POST')
    const allowed = response.headers.get('access-control-allow-headers')?.split(/, ?/) ?? []
    expect(allowed).toEqual(
      expect.arrayContaining(['authorization', 'content-type', 'x-stainless-lang', 'idempotency-key']),
    )
    expect(response.headers.get('x-request-id')).not.toBeNull()
  })

  test.each([
    ['an answer', {}, {}],
    ['a stream', { stream: true }, {}],
    ['an error', { model: 'nothing' }, {}],
    ['a refused key', {}, { key: 'sk-svc-wrong' }],
  ])('%s may be read by a page of any origin, its headers too', async (_what, more, init) => {
    const response = await gateway.chat(
      { ...QUESTION, ...more },
      { headers: { origin: 'https://app.example.com' }, ...init },
    )
    await response.text()
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-expose-headers')).toContain('x-request-id')
  })

  test.each([
    ['an address that does not exist', '/v1/nothing', 'GET', 404],
    ['an address outside of the version', '/nothing/at/all', 'GET', 404],
    ['a method that an address does not have', '/v1/chat/completions', 'DELETE', 405],
  ])('what is said of %s may be read, too', async (_what, path, method, status) => {
    const response = await gateway.fetch(path, { method, headers: { origin: 'https://app.example.com' } })
    expect(response.status).toBe(status)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-expose-headers')).toContain('x-request-id')
    expect(await response.json()).toMatchObject({ error: { type: expect.any(String) } })
  })

  test('an address without the base URL’s path names the right one', async () => {
    const response = await fetch(`${new URL(gateway.v1).origin}/v1/chat/completions`, { method: 'POST' })
    expect(response.status).toBe(404)
    expect((await errorOf(response)).message).toBe(
      'There is nothing at POST /v1/chat/completions. Did you mean /api/v1/chat/completions?',
    )
  })

  test('a cookie is no key', async () => {
    const response = await gateway.chat(QUESTION, {
      key: null,
      headers: { cookie: `authorization=Bearer ${gateway.key}` },
    })
    expect(response.status).toBe(401)
  })
})

describe('addresses in a request', () => {
  // B091
  test('no address that a client names is ever fetched', async () => {
    let visits = 0
    const bait = createServer((socket) => {
      visits++
      socket.destroy()
    })
    await new Promise<void>((resolve) => bait.listen(0, '127.0.0.1', resolve))
    const address = bait.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const urls = ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0x7f.1', '2130706433'].map(
      (host) => `http://${host}:${port}/x`,
    )
    const parts = [...urls, 'http://169.254.169.254/latest/meta-data', 'file:///etc/passwd'].flatMap((url) => [
      { type: 'image_url', image_url: { url } },
      { type: 'file', file: { file_data: url, filename: 'x.pdf' } },
      { type: 'video_url', video_url: { url } },
    ])
    const body = { model: 'svc-gpt', max_tokens: 10, messages: [{ role: 'user', content: parts }] }
    const response = await gateway.chat(body)
    await response.text()
    await new Promise<void>((resolve) => bait.close(() => resolve()))
    expect([response.status, visits]).toEqual([200, 0])
    expect(stub.chats[0]!.json?.['messages']).toEqual(body.messages)
  })
})
