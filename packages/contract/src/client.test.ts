import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, expectTypeOf, test } from 'vitest'
import { ApiError, ConnectionError } from './api-error.ts'
import type { Client } from './client-types.ts'
import { createClient } from './client.ts'
import { endpoints } from './endpoints.ts'
import { examples, shortageExample } from './examples.ts'
import type { DecimalText } from './json-number.ts'

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void

let server: Server
let baseUrl: string
/** One handler for each request in turn; the last answers all further ones. */
let script: Handler[]
let requests: { line: string; headers: IncomingMessage['headers']; body: string }[]
let waits: number[]
let client: Client

beforeEach(async () => {
  script = []
  requests = []
  waits = []
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (bytes: Buffer) => (body += bytes.toString()))
    request.on('end', () => {
      requests.push({ line: `${request.method} ${request.url}`, headers: request.headers, body })
      const handler = script.length > 1 ? script.shift() : script[0]
      handler?.(request, response, body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`
  client = createClient({ baseUrl, key: 'sk-svc-test', wait: (ms) => Promise.resolve(void waits.push(ms)) })
})

afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

function json(status: number, body: unknown, headers: Record<string, string> = {}): Handler {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req-1', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}

function events(...pieces: string[]): Handler {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'req-1' })
    for (const piece of pieces) response.write(piece)
    response.end()
  }
}

const chatBody = { model: 'svc-gpt', messages: [{ role: 'user' as const, content: 'Hello.' }] }

async function failureOf(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => expect.unreachable(),
    (error: unknown) => error as Error,
  )
}

describe('a call', () => {
  test('sends the key and returns money with every digit', async () => {
    script = [json(200, '{"object":"balance","credits":9223372036.854775807,"credits_per_usd":1000}')]
    const balance = await client.call(endpoints.getBalance)
    expect(balance.credits).toBe('9223372036.854775807')
    expect(balance.credits_per_usd).toBe(1_000)
    expect(requests[0]).toMatchObject({ line: 'GET /api/v1/balance', headers: { authorization: 'Bearer sk-svc-test' } })
    expectTypeOf(balance.credits).toEqualTypeOf<DecimalText>()
    expectTypeOf(balance.credits_per_usd).toEqualTypeOf<number>()
  })

  test('encodes path and query', async () => {
    script = [json(200, examples.getModel.reply)]
    const model = await client.call(endpoints.getModel, { path: { id: 'openrouter/openai/gpt 6' } })
    expect(model.svc.credits_per_1m_input).toBe('6')
    await client.call(endpoints.listUsage, { query: { limit: 5, model: 'a&b', type: 'chat' } })
    expect(requests.map((request) => request.line)).toEqual([
      'GET /api/v1/models/openrouter/openai/gpt%206',
      'GET /api/v1/usage?limit=5&model=a%26b&type=chat',
    ])
  })

  test('sends the body as it was given', async () => {
    script = [json(200, examples.createChatCompletion.reply)]
    const reply = await client.call(endpoints.createChatCompletion, { body: { ...chatBody, temperature: 0 } })
    expect(reply.svc.credits_charged).toBe('0.021')
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ ...chatBody, temperature: 0 })
  })

  test.each(['../keys', 'a/../b', 'a//b', './a'])('escapes %j, which would lead elsewhere', async (id) => {
    script = [json(404, {})]
    await failureOf(client.call(endpoints.getModel, { path: { id } }))
    expect(requests[0]?.line).toBe(`GET /api/v1/models/${id.replaceAll('/', '%2F')}`)
  })

  test.each([undefined, null, '', 7, ['a'], { id: 'a' }])(
    'with %j for a path parameter is a TypeError at once',
    async (id) => {
      const path = { jobId: id as string }
      const calls = [
        client.call(endpoints.getVideo, { path }),
        client.open(endpoints.getVideoContent, { path }),
        client.stream(endpoints.createChatCompletion, { body: { ...chatBody, seed: 1n as never } }).next(),
      ]
      for (const call of calls) expect(await failureOf(call)).toBeInstanceOf(TypeError)
      expect([requests, waits]).toEqual([[], []])
    },
  )
})

describe('a failure', () => {
  test('is an ApiError with the code and the exact figures of the body', async () => {
    script = [json(402, shortageExample, { 'x-should-retry': 'false' })]
    const error = (await failureOf(client.call(endpoints.createChatCompletion, { body: chatBody }))) as ApiError
    expect(error).toBeInstanceOf(ApiError)
    expect(error.is('insufficient_credits')).toBe(true)
    expect(error).toMatchObject({ status: 402, type: 'insufficient_quota', param: null, requestId: 'req-1' })
    expect(error.details).toMatchObject({ credits_required: '42.5', affordable_max_tokens: 301, limit: 'account' })
    expect(requests).toHaveLength(1)
  })

  test('of something in between is an ApiError without a code', async () => {
    script = [json(404, '<html>')]
    const error = (await failureOf(client.call(endpoints.getHealth))) as ApiError
    expect(error).toMatchObject({ status: 404, code: null, message: 'The gateway answered with status 404.' })
  })

  test('of the connection is a ConnectionError', async () => {
    script = [(request) => request.socket.destroy()]
    expect(await failureOf(client.call(endpoints.getHealth))).toBeInstanceOf(ConnectionError)
    expect(requests).toHaveLength(3)
  })
})

describe('a GET is tried again', () => {
  test('after 503, for as long as the answer asks', async () => {
    script = [json(503, {}, { 'retry-after': '2' }), json(503, {}, { 'retry-after-ms': '250' }), json(200, {})]
    await client.call(endpoints.getBalance)
    expect(waits).toEqual([2_000, 250])
  })

  test('after a broken connection, waiting longer each time', async () => {
    script = [(request) => request.socket.destroy(), json(500, {}), json(200, {})]
    await client.call(endpoints.getBalance)
    expect(waits[0]).toBeGreaterThanOrEqual(375)
    expect(waits[0]).toBeLessThanOrEqual(500)
    expect(waits[1]).toBeGreaterThanOrEqual(750)
  })

  test.each([
    ['when the answer says that it is useless', 503, { 'x-should-retry': 'false' }],
    ['when the wait would be longer than a minute', 429, { 'retry-after': '61' }],
    ['when the request itself is wrong', 400, {}],
  ])('but not %s', async (_name, status, headers) => {
    script = [json(status, {}, headers)]
    await failureOf(client.call(endpoints.getBalance))
    expect(requests).toHaveLength(1)
  })

  test('but not after the caller has given up', async () => {
    const controller = new AbortController()
    script = [() => controller.abort(new Error('enough'))]
    const error = await failureOf(client.call(endpoints.getBalance, {}, { signal: controller.signal }))
    expect(error.message).toBe('enough')
    expect(requests).toHaveLength(1)
  })
})

describe('a POST', () => {
  const nameOf = (index: number): unknown => requests[index]?.headers['idempotency-key']
  const inUse = json(409, { error: { message: 'busy', code: 'idempotency_key_in_use' } }, { 'retry-after': '1' })
  const breakOff: Handler = (request) => request.socket.destroy()

  test('that is paid is tried again under one name, which the next call does not have', async () => {
    script = [json(503, {}), breakOff, json(200, examples.createChatCompletion.reply)]
    await client.call(endpoints.createChatCompletion, { body: chatBody })
    expect(requests).toHaveLength(3)
    expect(nameOf(0)).toMatch(/^svc-[0-9a-f]{32}$/)
    expect([nameOf(1), nameOf(2)]).toEqual([nameOf(0), nameOf(0)])
    await client.call(endpoints.createChatCompletion, { body: chatBody })
    expect(nameOf(3)).not.toBe(nameOf(0))
  })

  test('keeps the name that the caller has given', async () => {
    script = [json(500, {}), json(200, examples.createChatCompletion.reply)]
    await client.call(endpoints.createChatCompletion, { body: chatBody }, { headers: { 'Idempotency-Key': 'mine' } })
    expect([nameOf(0), nameOf(1)]).toEqual(['mine', 'mine'])
  })

  test('whose first try is still being worked on is waited for, and gives its answer', async () => {
    script = [breakOff, inUse, inUse, inUse, inUse, json(200, examples.createChatCompletion.reply)]
    const reply = await client.call(endpoints.createChatCompletion, { body: chatBody })
    expect(reply.svc.credits_charged).toBe('0.021')
    expect(waits.slice(1)).toEqual([1_000, 1_000, 1_000, 1_000])
  })

  test('whose first try never ends is given up after ten minutes', async () => {
    script = [json(409, { error: { message: 'busy', code: 'idempotency_key_in_use' } }, { 'retry-after': '60' })]
    const error = (await failureOf(client.call(endpoints.createChatCompletion, { body: chatBody }))) as ApiError
    expect(error.is('idempotency_key_in_use')).toBe(true)
    expect(waits).toHaveLength(10)
  })

  test.each([
    [402, 'insufficient_credits'],
    [409, 'idempotency_answer_gone'],
    [422, 'idempotency_key_reused'],
    [400, 'invalid_value'],
  ])('that is refused with %i %s is not tried again', async (status, code) => {
    script = [json(status, { error: { message: 'no', code } })]
    const error = (await failureOf(client.call(endpoints.createChatCompletion, { body: chatBody }))) as ApiError
    expect(error.code).toBe(code)
    expect(requests).toHaveLength(1)
  })

  test('that does the same however often it is sent is tried again without a name', async () => {
    script = [json(503, {}), json(200, examples.claimDeposit.reply)]
    const body = { txHash: `0x${'1'.repeat(64)}`, asset: 'USDG', chainId: 4663 } as const
    await client.call(endpoints.claimDeposit, { body })
    expect([requests.length, nameOf(0)]).toEqual([2, undefined])
  })

  test('that may do something twice is sent once', async () => {
    script = [json(503, {})]
    const body = { txHash: `0x${'1'.repeat(64)}`, email: 'a@example.com', credits: 1, asset: 'USDG' } as const
    await failureOf(client.call(endpoints.notifyDeposit, { body }))
    expect(requests).toHaveLength(1)
  })

  test('reports before it waits, and an interrupt ends the wait', async () => {
    const controller = new AbortController()
    const told: number[] = []
    client = createClient({
      baseUrl,
      onRetry: ({ error, waitMs }) => {
        told.push(waitMs)
        expect(error).toBeInstanceOf(ApiError)
        queueMicrotask(() => controller.abort(new Error('enough')))
      },
    })
    script = [json(503, {}, { 'retry-after': '59' })]
    const call = client.call(endpoints.createChatCompletion, { body: chatBody }, { signal: controller.signal })
    expect((await failureOf(call)).message).toBe('enough')
    expect([told, requests.length]).toEqual([[59_000], 1])
  })

  test('that answers with a stream or bytes is tried again until its answer has begun', async () => {
    script = [json(503, {}), breakOff, events('data: {"choices":[]}\n\n')]
    const chunks: unknown[] = []
    const stream = client.stream(endpoints.createChatCompletion, { body: chatBody })
    const reading = (async () => {
      for await (const chunk of stream) chunks.push(chunk)
    })()
    expect(await failureOf(reading)).toBeInstanceOf(ConnectionError)
    expect([chunks.length, requests.length]).toEqual([1, 3])
    expect([nameOf(1), nameOf(2)]).toEqual([nameOf(0), nameOf(0)])
    script = [json(429, {}), json(200, '{}')]
    const speech = { model: 'm', input: 'Hello.' }
    const opened = await client.open(endpoints.createSpeech, { body: speech })
    for await (const _bytes of opened.bytes);
    expect(requests).toHaveLength(5)
  })
})

describe('a stream', () => {
  async function collect(): Promise<unknown[]> {
    const chunks: unknown[] = []
    for await (const chunk of client.stream(endpoints.createChatCompletion, { body: chatBody })) {
      expectTypeOf(chunk.svc?.credits_charged).toEqualTypeOf<DecimalText | undefined>()
      chunks.push(chunk)
    }
    return chunks
  }

  test('yields every event in order, the last with the exact charge', async () => {
    const [first, second, last] = (examples.createChatCompletion.events ?? []).map((event) => JSON.stringify(event))
    script = [
      events(': keep-alive\n\n', `data: ${first}\n\ndata:${second}\r\n\r\n`, `data: ${last}\n\ndata: [DONE]\n\n`),
    ]
    const chunks = await collect()
    expect(chunks).toHaveLength(3)
    expect(chunks[2]).toMatchObject({ svc: { credits_charged: '0.021', margin_bps: 2_000 } })
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ ...chatBody, stream: true })
  })

  test('that fails midway throws what the gateway says', async () => {
    script = [
      events('data: {"choices":[]}\n\ndata: {"error":{"message":"gone","code":"upstream_error"}}\n\ndata: [DONE]\n\n'),
    ]
    expect(await failureOf(collect())).toMatchObject({
      name: 'ApiError',
      status: 502,
      message: 'gone',
      requestId: 'req-1',
    })
  })

  test('that ends without its last event is a ConnectionError', async () => {
    script = [events('data: {"choices":[]}\n\n')]
    expect(await failureOf(collect())).toBeInstanceOf(ConnectionError)
  })

  test('that is refused throws the failure', async () => {
    script = [json(402, shortageExample)]
    expect(await failureOf(collect())).toMatchObject({ name: 'ApiError', status: 402 })
  })

  test('that falls silent is given up', async () => {
    client = createClient({ baseUrl, idleTimeoutMs: 30 })
    script = [(_request, response) => void response.writeHead(200).write('data: {"choices":[]}\n\n')]
    expect(await failureOf(collect())).toBeInstanceOf(ConnectionError)
  })

  test('that the caller leaves ends the request', async () => {
    const closed = Promise.withResolvers<void>()
    script = [
      (_request, response) => {
        response.on('close', closed.resolve)
        response.writeHead(200).write('data: {"choices":[]}\n\n')
      },
    ]
    for await (const _chunk of client.stream(endpoints.createChatCompletion, { body: chatBody })) break
    await expect(closed.promise).resolves.toBeUndefined()
  })
})
