/** What becomes of a request whose upstream fails, at every point where it can. */
import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import {
  beginStream,
  chunkText,
  sendCompletion,
  sendEvent,
  sendStream,
  startStubUpstream,
  usageText,
} from '../packages/server/testing/stub-upstream.ts'
import { startTestGateway, type TestGatewayOptions } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { cardOf, chargeOf, recordOf } from './charge-of.ts'
import { errorOf, wireErrorIn } from './error-of.ts'
import { eventsIn, finishesIn, QUESTION, streamOf } from './events-of.ts'

const USAGE = { prompt_tokens: 10, completion_tokens: 5 }
const CHARGE = cardOf(10, 5)
/** The waits of the impatient gateway, in milliseconds. */
const PATIENCE_MS = 800

const stub = useStubUpstream()

function upstreamFile(more: object = {}) {
  return { name: 'stub', kind: 'openrouter', url: stub.url, api_key_env: 'STUB_KEY', ...more } as const
}

function settingsOf(upstream: object, limits: object): TestGatewayOptions {
  return {
    credits: '1000000',
    env: { STUB_KEY: 'sk-or-v1-upstream-secret' },
    file: { upstreams: [upstreamFile(upstream)], limits },
  }
}

const gateway = useGateway(() =>
  settingsOf({ first_byte_ms: PATIENCE_MS, idle_ms: PATIENCE_MS }, { first_content_ms: 60_000, keep_alive_ms: 20 }),
)

type Answer = (response: ServerResponse) => void

function json(status: number, body: string, headers: Record<string, string> = {}): Answer {
  return (response) => void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}

/** Asks once, with and without a stream, and expects one upstream call and no charge each time. */
async function failuresOf(answer: Answer): Promise<Response[]> {
  stub.onChat = (_call, response) => answer(response)
  const calls = stub.chats.length
  const ask = (stream: boolean): Promise<Response> => gateway.chat({ ...QUESTION, stream })
  const { result, charge } = await chargeOf(gateway, async () => [await ask(false), await ask(true)])
  expect([charge, stub.chats.length - calls]).toEqual([0n, 2])
  return result
}

describe('an upstream that fails before its first content', () => {
  const cases: readonly [name: string, answer: Answer, status: number, code: string][] = [
    // B156
    [
      'a page instead of JSON',
      json(502, '<!DOCTYPE html><p>Bad gateway', { 'content-type': 'text/html' }),
      502,
      'upstream_error',
    ],
    [
      'a page that says 200',
      json(200, '<!DOCTYPE html><p>Welcome', { 'content-type': 'text/html' }),
      502,
      'upstream_error',
    ],
    ['503 without a body', json(503, ''), 503, 'server_is_overloaded'],
    ['503 with a page', json(503, '<html>Sorry', { 'content-type': 'text/html' }), 503, 'server_is_overloaded'],
    // B157
    ['200 with an error', json(200, '{"error":{"code":500,"message":"x"}}'), 502, 'upstream_error'],
    ['200 with choices null', json(200, '{"id":null,"choices":null}'), 502, 'upstream_error'],
    ['200 with no choices', json(200, '{"choices":[]}'), 502, 'upstream_error'],
    ['200 with null', json(200, 'null'), 502, 'upstream_error'],
    ['200 with an empty body', json(200, ''), 502, 'upstream_error'],
    ['200 with half a JSON', json(200, '{"choices":[{"mess'), 502, 'upstream_error'],
    [
      'a redirect',
      (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      502,
      'upstream_error',
    ],
    ['no answer but a closed connection', (response) => void response.destroy(), 502, 'upstream_error'],
    // Our account at the upstream is our problem.
    ['401', json(401, '{"error":{"message":"bad key sk-or-v1-upstream-secret"}}'), 503, 'upstream_unavailable'],
    ['402', json(402, '{"error":{"code":402,"message":"more credits"}}'), 503, 'upstream_unavailable'],
    ['404', json(404, '{"error":{"code":404,"message":"No endpoints"}}'), 404, 'model_not_found'],
    ['408', json(408, '{}'), 504, 'upstream_timeout'],
    ['500', json(500, '{"error":"boom"}'), 502, 'upstream_error'],
    ['524', json(524, ''), 504, 'upstream_timeout'],
    ['529', json(529, '{}'), 503, 'server_is_overloaded'],
    ['an unknown status', json(418, '{}'), 502, 'upstream_error'],
  ]
  test.each(cases)('%s is reported by its true status, and is free', async (_name, answer, status, code) => {
    for (const response of await failuresOf(answer)) {
      const error = await errorOf(response)
      expect([response.status, error.code]).toEqual([status, code])
      expect(error.message).not.toMatch(/<|html|sk-or|127\.0\.0\.1|boom|null/i)
      expect(error.message.length).toBeLessThan(200)
    }
  })

  // B154
  test.each([
    ['seconds', () => '30'],
    ['a date', () => new Date(Date.now() + 30_000).toUTCString()],
  ])('a wait that the upstream asks for in %s reaches the client', async (_form, value) => {
    for (const response of await failuresOf(
      json(429, '{"error":{"message":"slow down"}}', { 'retry-after': value() }),
    )) {
      expect([response.status, (await errorOf(response)).code]).toEqual([503, 'server_is_overloaded'])
      const seconds = Number(response.headers.get('retry-after'))
      expect(seconds).toBeGreaterThanOrEqual(28)
      expect(seconds).toBeLessThanOrEqual(30)
      expect(response.headers.get('retry-after-ms')).toBe(String(seconds * 1000))
    }
  })

  // B159
  test.each([
    ['plainly', 'context length is 40960 tokens'],
    ['as JSON inside of the message', '{"error":{"message":"context length is 40960 tokens","stack":"at x.js:1"}}'],
  ])('what is wrong with the request is reported in the upstream’s words: %s', async (_how, message) => {
    for (const response of await failuresOf(json(400, JSON.stringify({ error: { message, code: 400 } })))) {
      const error = await errorOf(response)
      expect([response.status, error.message]).toEqual([400, 'context length is 40960 tokens'])
    }
  })

  // B056
  test.each([
    ['null', null, 502, 'upstream_error'],
    ['a word', '"rate_limit"', 503, 'server_is_overloaded'],
    ['an unknown word', '"gremlins"', 502, 'upstream_error'],
    ['999', 999, 502, 'upstream_error'],
    ['200', 200, 502, 'upstream_error'],
    ['a number as text', '"429"', 503, 'server_is_overloaded'],
  ])(
    'an error as the first event is an ordinary failure whatever its code: %s',
    async (_name, code, status, expected) => {
      stub.onChat = (_call, response) => {
        beginStream(response)
        response.end(`data: {"error":{"message":"bad","code":${code}}}\n\ndata: [DONE]\n\n`)
      }
      const { result, charge } = await chargeOf(gateway, () => gateway.chat({ ...QUESTION, stream: true }))
      expect([result.status, (await errorOf(result)).code, charge]).toEqual([status, expected, 0n])
    },
  )

  // B166
  test.each<[string, Answer]>([
    [
      'a body shorter than its length',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
        response.write(`{"choices":[{"message":{"content":"${'x'.repeat(300)}"`, () => response.destroy())
      },
    ],
    [
      'a chunked body without its end',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.write('{"choices":[{"message":{"content":"whole"}}]}', () => response.socket?.destroy())
      },
    ],
    [
      'a compressed body without its end',
      (response) => {
        const whole = gzipSync('{"choices":[{"message":{"content":"whole"}}]}')
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        response.end(whole.subarray(0, 40))
      },
    ],
    ['bytes that are not what their encoding says', json(200, 'no gzip', { 'content-encoding': 'gzip' })],
    ['an unknown encoding', json(200, '{}', { 'content-encoding': 'snappy' })],
  ])('%s is a failure, and free', async (_name, answer) => {
    for (const response of await failuresOf(answer)) {
      expect([response.status, (await errorOf(response)).code]).toEqual([502, 'upstream_error'])
    }
  })

  test('an endless answer that cannot be decoded is given up', async () => {
    for (const stream of [false, true]) {
      stub.onChat = (_call, response) => {
        const type = stream ? 'text/event-stream' : 'application/json'
        response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip' })
        const more = (): void => void (response.destroyed ? null : response.write('x'.repeat(16_384), more))
        more()
      }
      const response = await gateway.chat({ ...QUESTION, stream })
      expect([response.status, (await errorOf(response)).code]).toEqual([502, 'upstream_error'])
      await stub.chats.at(-1)?.closed
    }
  })

  test('an error page without an end is given up', async () => {
    stub.onChat = (_call, response) => {
      response.writeHead(500, { 'content-type': 'text/html' })
      const more = (): void => void (response.destroyed ? null : response.write('x'.repeat(16_384), more))
      more()
    }
    const response = await gateway.chat({ ...QUESTION, stream: true })
    expect([response.status, (await errorOf(response)).code]).toEqual([502, 'upstream_error'])
    await stub.chats.at(-1)?.closed
  })
})

describe('an upstream that fails after its first content', () => {
  /** Streams two words, then calls `goOn`. */
  function afterTwoWords(goOn: (response: ServerResponse) => void): void {
    stub.onChat = (_call, response) => {
      beginStream(response)
      for (const content of ['Hello', ' world']) sendEvent(response, chunkText({ content }))
      goOn(response)
    }
  }

  function expectErrorEnd(events: readonly string[], status: number): string {
    expect(events.at(-1)).toBe('[DONE]')
    return wireErrorIn(JSON.parse(events.at(-2) ?? ''), status).code
  }

  // B054, B057
  test.each([
    ['beside empty choices', '{"id":"g","choices":[],"error":{"code":502,"message":"no capacity"}}'],
    ['alone', '{"error":{"message":"no capacity"}}'],
    ['as a finish reason', '{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}'],
    [
      'beside a choice',
      '{"error":{"code":502},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}',
    ],
    ['as a text', '{"error":"no capacity"}'],
  ])('an error %s is seen by the client, ends the stream and makes it free', async (_where, frame) => {
    afterTwoWords((response) => response.end(`data: ${frame}\n\ndata: [DONE]\n\n`))
    const calls = stub.chats.length
    const { result, charge } = await chargeOf(gateway, () => streamOf(gateway))
    expect([result.response.status, result.content, charge]).toEqual([200, 'Hello world', 0n])
    expect(expectErrorEnd(result.events, 502)).toBe('upstream_error')
    expect(finishesIn(result.frames)).toEqual([])
    expect(result.text).not.toContain('"svc"')
    expect(stub.chats.length - calls).toBe(1)
    const record = await recordOf(gateway, result.response.headers.get('x-request-id'))
    expect(record).toMatchObject({ status: 'error', credits_charged: 0, error_code: 'upstream_error' })
  })

  test.each<[string, (response: ServerResponse) => void]>([
    ['a cut', (response) => void response.write(':\n\n', () => response.socket?.destroy())],
    ['an end without a finish reason', (response) => void response.end()],
    ['nonsense', (response) => void response.end('data: {"choices":[{"de\n\n')],
  ])('%s ends in an error frame, and what was delivered is charged as an estimate', async (_how, goOn) => {
    afterTwoWords(goOn)
    const calls = stub.chats.length
    const { result, charge } = await chargeOf(gateway, () => streamOf(gateway))
    expect(result.content).toBe('Hello world')
    expect(expectErrorEnd(result.events, 502)).toBe('upstream_error')
    expect(charge).toBeGreaterThan(0n)
    expect(charge).toBeLessThan(CHARGE * 4n)
    const record = await recordOf(gateway, result.response.headers.get('x-request-id'))
    expect(record).toMatchObject({ estimated: true, error_code: 'upstream_error' })
    expect(stub.chats.length - calls).toBe(1)
  })

  test('an upstream that bills its failure is paid for what it delivered, with the margin', async () => {
    const usage = usageText(USAGE, '0.001')
    afterTwoWords((response) => response.end(`data: ${usage}\n\ndata: {"error":{"code":500,"message":"x"}}\n\n`))
    const { result, charge } = await chargeOf(gateway, () => streamOf(gateway))
    expect(expectErrorEnd(result.events, 502)).toBe('upstream_error')
    expect(charge).toBe(1_200_000_000n)
  })
})

describe('compressed answers', () => {
  const body = JSON.stringify({ choices: [{ message: { role: 'assistant', content: 'Grüße' } }], usage: USAGE })
  const sse = [chunkText({ content: 'Grüße' }), chunkText({}, 'stop'), usageText(USAGE), '[DONE]']
  const encodings = [
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['zstd', zstdCompressSync],
  ] as const

  // B067
  test.each(encodings)('%s JSON becomes plain, with its own length', async (encoding, compress) => {
    const bytes = compress(body)
    stub.onChat = (_call, response) => {
      const headers = { 'content-encoding': encoding, 'content-length': String(bytes.length) }
      response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(bytes)
    }
    const { result, charge } = await chargeOf(gateway, () => gateway.chat(QUESTION))
    const text = await result.text()
    expect(JSON.parse(text)).toMatchObject({ choices: [{ message: { content: 'Grüße' } }] })
    expect(result.headers.get('content-encoding')).toBeNull()
    expect(result.headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
    expect(charge).toBe(CHARGE)
  })

  test.each(encodings)('a %s stream becomes plain, without a length', async (encoding, compress) => {
    const bytes = compress(sse.map((data) => `data: ${data}\n\n`).join(''))
    stub.onChat = (_call, response) => {
      beginStream(response, { 'content-encoding': encoding, 'content-length': String(bytes.length) })
      response.write(bytes.subarray(0, 20))
      response.end(bytes.subarray(20))
    }
    const { result, charge } = await chargeOf(gateway, () => streamOf(gateway))
    expect([result.content, charge]).toEqual(['Grüße', CHARGE])
    expect(result.response.headers.get('content-encoding')).toBeNull()
    expect(result.response.headers.get('content-length')).toBeNull()
  })

  test.each(['text/event-stream; charset=utf-8', 'Text/Event-Stream', 'application/octet-stream', 'text/plain', null])(
    'a stream is read under the content type %s',
    async (type) => {
      stub.onChat = (_call, response) => {
        response.writeHead(200, type === null ? {} : { 'content-type': type })
        response.end(sse.map((data) => `data: ${data}\n\n`).join(''))
      }
      expect((await streamOf(gateway)).content).toBe('Grüße')
    },
  )
})

describe('time', () => {
  // B162
  test('an upstream that never answers is a 504 after the configured time, and free', async () => {
    for (const response of await failuresOf(() => undefined)) {
      expect([response.status, (await errorOf(response)).code]).toEqual([504, 'upstream_timeout'])
    }
  })

  test('an upstream that falls silent after its headers is a 504, and free', async () => {
    const begin: Answer = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"choices"')
    }
    stub.onChat = (call, response) => (call.json?.['stream'] === true ? beginStream(response) : begin(response))
    for (const stream of [false, true]) {
      const { result, charge } = await chargeOf(gateway, () => gateway.chat({ ...QUESTION, stream }))
      expect([result.status, (await errorOf(result)).code, charge]).toEqual([504, 'upstream_timeout', 0n])
    }
  })

  test('silence in the middle of a stream ends it with an error frame', async () => {
    stub.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ content: 'Hello' }))
    }
    const { result, charge } = await chargeOf(gateway, () => streamOf(gateway))
    expect(wireErrorIn(JSON.parse(result.events.at(-2) ?? ''), 504).code).toBe('upstream_timeout')
    expect(charge).toBeGreaterThan(0n)
    await stub.chats.at(-1)?.closed
  })

  // B164
  test('a stream that still produces is never cut, however long it takes', async () => {
    stub.onChat = async (_call, response) => {
      beginStream(response)
      for (let word = 0; word < 16; word++) {
        sendEvent(response, chunkText({ content: `${word} ` }))
        await wait(PATIENCE_MS / 12)
      }
      response.end(`data: ${chunkText({}, 'stop')}\n\ndata: ${usageText(USAGE)}\n\ndata: [DONE]\n\n`)
    }
    const { result, charge } = await chargeOf(gateway, () => streamOf(gateway))
    expect([result.content.split(' ').length, finishesIn(result.frames), charge]).toEqual([17, ['stop'], CHARGE])
  })

  /** A gateway that answers 200 soon, and an upstream that sends its content when told. */
  async function slowStart(goOn: (response: ServerResponse) => void): Promise<string> {
    const eager = await startTestGateway(settingsOf({}, { first_content_ms: 1, keep_alive_ms: 1 }))
    const { promise: seen, resolve } = Promise.withResolvers<void>()
    stub.onChat = async (_call, response) => {
      beginStream(response)
      response.write(': OPENROUTER PROCESSING\n\n')
      sendEvent(response, chunkText({ role: 'assistant', content: '' }))
      await seen
      goOn(response)
    }
    const response = await eager.chat({ ...QUESTION, stream: true })
    expect(response.status).toBe(200)
    let text = ''
    for await (const bytes of response.body ?? []) {
      text += Buffer.from(bytes).toString()
      if (text.includes(': keep-alive')) resolve()
    }
    await eager.stop()
    return text
  }

  test('a slow first content is waited for with a 200 and comments', async () => {
    const text = await slowStart((response) => sendRest(response))
    expect(eventsIn(text).map((data) => data.includes('"content":"Hi"'))).toEqual([false, true, false, false])
    expect(text).toContain(': keep-alive\n\n')
    expect(text).not.toContain('PROCESSING')
  })

  test('a failure after such a 200 is an error frame, and free', async () => {
    const text = await slowStart((response) => response.end('data: {"error":{"code":429,"message":"later"}}\n\n'))
    const events = eventsIn(text)
    expect(wireErrorIn(JSON.parse(events.at(-2) ?? ''), 503).code).toBe('server_is_overloaded')
    expect(events.at(-1)).toBe('[DONE]')
  })

  function sendRest(response: ServerResponse): void {
    for (const data of [chunkText({ content: 'Hi' }), chunkText({}, 'stop'), '[DONE]']) sendEvent(response, data)
    response.end()
  }

  test('frames without content do not pile up while the first content is awaited', async () => {
    stub.onChat = async (_call, response) => {
      beginStream(response)
      // More than the gateway keeps: the 200 goes out although there is no content yet.
      for (let turn = 0; turn < 200; turn++) sendEvent(response, chunkText({ content: '', padding: 'x'.repeat(500) }))
      const big = { index: 0, delta: { content: '' }, logprobs: { note: 'x'.repeat(1000) }, finish_reason: null }
      for (let turn = 0; turn < 200; turn++) sendEvent(response, JSON.stringify({ choices: [big] }))
      await opened
      sendRest(response)
    }
    const { promise: opened, resolve } = Promise.withResolvers<void>()
    const response = await gateway.chat({ ...QUESTION, stream: true })
    resolve()
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('"content":"Hi"')
  })
})

describe('connections to the upstream', () => {
  // B161
  test('connections that the upstream has closed are not used again', async () => {
    const quiet = await startStubUpstream()
    const own = await startTestGateway({ upstreamUrl: quiet.url })
    quiet.onChat = (_call, response) => {
      // Closed behind the answer, without a word in its headers.
      response.once('finish', () => setImmediate(() => response.socket?.end()))
      sendCompletion(response)
    }
    for (let turn = 0; turn < 5; turn++) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => own.chat({ ...QUESTION, max_tokens: 10 })))
      expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 10 }, () => 200))
      await Promise.all(quiet.chats.map((call) => call.closed))
    }
    expect(quiet.chats).toHaveLength(50)
    await own.stop()
    await quiet.close()
  })

  test('one connection serves one stream after the other', async () => {
    const ports = new Set<number | undefined>()
    stub.onChat = (_call, response) => {
      ports.add(response.socket?.remotePort)
      sendStream(response)
    }
    for (let turn = 0; turn < 10; turn++) await streamOf(gateway)
    expect(ports.size).toBe(1)
  })
})
