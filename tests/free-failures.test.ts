/** Failed is free: whatever goes wrong upstream, the balance is what it was, and the record says why. */
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import type { ErrorCode, UsageRecordBody } from '@svc/contract'
import {
  beginStream,
  chunkText,
  sendCompletion,
  sendEvent,
  sendStream,
  type StubHandler,
  usageText,
} from '../packages/server/testing/stub-upstream.ts'
import { useGateway, useGatewayPerTest } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { chargeOf } from './charge-of.ts'
import { ask, chargeIn, openStream, question, recordOf } from './open-stream.ts'

const stub = useStubUpstream()
const gateway = useGateway(() => ({ upstreamUrl: stub.url, credits: '100' }))

const body = question('svc-gpt', { max_tokens: 100 })

/** The newest usage record. */
async function newest(): Promise<UsageRecordBody> {
  const { data } = (await (await gateway.fetch('/v1/usage?limit=1')).json()) as { data: UsageRecordBody[] }
  return data[0] as UsageRecordBody
}

const json =
  (status: number, value: unknown, headers: Record<string, string> = {}): StubHandler =>
  (_call, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof value === 'string' ? value : JSON.stringify(value))

const failure = (message: string, code?: number | string) => ({
  error: { message, ...(code === undefined ? {} : { code }) },
})

const emptyMessage = { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: '' } }

/** The upstream's answer, and the status and code that the client must get. */
type Fault = readonly [name: string, upstream: StubHandler, status: number, code: ErrorCode]

const faults: readonly Fault[] = [
  // Case B014
  ['is overloaded', json(429, failure('Slow down'), { 'retry-after': '1' }), 503, 'server_is_overloaded'],
  // Case B031
  ['fails with a page in JSON', json(502, failure('Bad gateway')), 502, 'upstream_error'],
  ['fails with a page in HTML', json(500, '<html><body>Internal error</body></html>'), 502, 'upstream_error'],
  ['lacks credit of its own', json(402, failure('Insufficient credits')), 503, 'upstream_unavailable'],
  ['refuses the gateway’s key', json(401, failure('No auth')), 503, 'upstream_unavailable'],
  ['does not know the model', json(404, failure('No endpoints')), 404, 'model_not_found'],
  ['refuses the request', json(400, failure('Bad field')), 400, 'upstream_rejected_request'],
  ['answers an error with 200', json(200, failure('Provider error', 502)), 502, 'upstream_error'],
  ['hangs up before it answers', (_call, response) => void response.destroy(), 502, 'upstream_error'],
  [
    'hangs up in the middle of its headers',
    (_call, response) => void response.socket?.end('HTTP/1.1 200 OK\r\ncontent-ty'),
    502,
    'upstream_error',
  ],
]

describe.each([false, true])('with stream: %s', (stream) => {
  test.each(faults)('an upstream that %s costs nothing', async (_name, upstream, status, code) => {
    stub.onChat = upstream
    const { result, charge } = await chargeOf(gateway, () => ask(gateway, { ...body, stream }))
    expect([result.status, result.json?.error?.code, charge]).toEqual([status, code, 0n])
    expect(await newest()).toMatchObject({
      request_id: result.requestId,
      status: 'error',
      error_code: code,
      credits_charged: 0,
      basis: null,
      pricing: null,
      stream,
    })
  })
})

const wholeFaults: readonly Fault[] = [
  ['sends half of a body', json(200, '{"choices":[{"index":0,"mess'), 502, 'upstream_error'],
  [
    'sends no choices',
    json(200, { choices: [], usage: { prompt_tokens: 20, completion_tokens: 120 } }),
    502,
    'upstream_error',
  ],
  // Case B032
  [
    'sends an empty answer with usage and a cost',
    json(200, { choices: [emptyMessage], usage: { prompt_tokens: 20, completion_tokens: 120, cost: 0.01 } }),
    502,
    'upstream_empty',
  ],
  [
    'sends a choice that failed',
    json(200, { choices: [{ ...emptyMessage, finish_reason: 'error', error: { code: 502, message: 'x' } }] }),
    502,
    'upstream_error',
  ],
]

test.each(wholeFaults)('an upstream that %s costs nothing', async (_name, upstream, status, code) => {
  stub.onChat = upstream
  const { result, charge } = await chargeOf(gateway, () => ask(gateway, body))
  expect([result.status, result.json?.error?.code, charge]).toEqual([status, code, 0n])
  expect(await newest()).toMatchObject({ status: 'error', error_code: code, credits_charged: 0 })
})

const events =
  (...data: readonly string[]): StubHandler =>
  (_call, response) => {
    beginStream(response)
    for (const event of data) sendEvent(response, event)
    response.end()
  }

const streamFaults: readonly Fault[] = [
  // Case B014
  [
    'begins with an error frame',
    events(JSON.stringify(failure('Provider error', 502)), '[DONE]'),
    502,
    'upstream_error',
  ],
  ['ends before its first frame', events(), 502, 'upstream_error'],
  ['says that it is done and nothing else', events('[DONE]'), 502, 'upstream_empty'],
  // Case B032
  [
    'streams no content but usage',
    events(
      chunkText({ role: 'assistant', content: '' }),
      chunkText({}, 'stop'),
      usageText({ prompt_tokens: 20, completion_tokens: 120 }, '0.01'),
      '[DONE]',
    ),
    502,
    'upstream_empty',
  ],
  ['streams nonsense', events('{"choices":[{'), 502, 'upstream_error'],
]

test.each(streamFaults)('an upstream that %s costs nothing, and the status is its true one', async (...fault) => {
  const [, upstream, status, code] = fault
  stub.onChat = upstream
  const { result, charge } = await chargeOf(gateway, () => ask(gateway, { ...body, stream: true }))
  expect([result.status, result.json?.error?.code, charge]).toEqual([status, code, 0n])
  expect(await newest()).toMatchObject({ status: 'error', error_code: code, credits_charged: 0, stream: true })
})

// Case B032
test('an answer that only calls a tool is an answer, and charged', async () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } }
  stub.onChat = (request, response) => {
    const usage = { prompt_tokens: 20, completion_tokens: 120 }
    if (request.json?.['stream'] !== true) {
      return sendCompletion(response, {
        text: null,
        message: { tool_calls: [call] },
        finishReason: 'tool_calls',
        usage,
      })
    }
    beginStream(response)
    sendEvent(response, chunkText({ role: 'assistant', content: null, tool_calls: [{ index: 0, ...call }] }))
    sendEvent(response, chunkText({}, 'tool_calls'))
    sendEvent(response, usageText(usage))
    sendEvent(response, '[DONE]')
    response.end()
  }
  const whole = await ask(gateway, body)
  const stream = await openStream(gateway, body)
  const charges = [whole.charge, chargeIn((await stream.rest()).text)]
  expect(charges).toEqual([7_440_000n, 7_440_000n])
})

test('an answer that the client’s own limit left empty is delivered and charged', async () => {
  stub.onChat = (_call, response) =>
    sendCompletion(response, { text: '', finishReason: 'length', usage: { prompt_tokens: 20, completion_tokens: 100 } })
  expect(await ask(gateway, body)).toMatchObject({ status: 200, charge: 6_240_000n })
})

test.each([
  ['no messages', { messages: [] }, 'empty_content'],
  ['a blank prompt', { messages: [{ role: 'user', content: ' \n ' }] }, 'empty_content'],
  ['a field that would change the price', { plugins: [{ id: 'web' }] }, 'unsupported_parameter'],
])('a request with %s never reaches the upstream and costs nothing', async (_name, more, code) => {
  const before = stub.chats.length
  const { result, charge } = await chargeOf(gateway, () => ask(gateway, { ...body, ...more }))
  expect([result.status, result.json?.error?.code, charge, stub.chats.length]).toEqual([400, code, 0n, before])
})

// Case B036
test('a client that retries by itself pays for the answer that it got, and for nothing else', async () => {
  const client = new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key })
  let attempts = 0
  stub.onChat = (call, response) => {
    attempts++
    if (attempts === 1) return json(500, failure('Once'))(call, response)
    // The upstream did its work, but its answer cannot be read.
    if (attempts === 2) return json(200, '{"choices":[{"index":0,"message":{"content":"Hello"')(call, response)
    sendCompletion(response, { usage: { prompt_tokens: 10, completion_tokens: 5 } })
  }
  const { charge } = await chargeOf(gateway, () =>
    client.chat.completions.create({ model: 'svc-gpt', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10 }),
  )
  expect([attempts, charge]).toEqual([3, 420_000n])
})

describe('when the books refuse to be written', () => {
  const failing = useGatewayPerTest(() => ({ upstreamUrl: stub.url, file: { limits: { journal_ms: 50 } } }))
  const refuse = `create trigger refuse_once before insert on usage_record begin select raise(abort, 'refused'); end`
  const statement = (sql: string) =>
    ({ sql, parameters: [], query: { kind: 'RawNode' }, queryId: { queryId: 'x' } }) as never

  // Cases B036 and B041: the upstream answered, the gateway could not charge it, and the client tries again.
  test('a failed attempt is free, the repeated one is charged, and the records add up', async () => {
    const client = new OpenAI({ baseURL: failing.v1, apiKey: failing.key })
    await failing.gateway.database.write([statement(refuse)])
    let attempts = 0
    stub.onChat = async (_call, response) => {
      attempts++
      if (attempts === 2) await failing.gateway.database.write([statement('drop trigger refuse_once')])
      sendCompletion(response, { usage: { prompt_tokens: 10, completion_tokens: 5 } })
    }
    const { charge } = await chargeOf(failing, () =>
      client.chat.completions.create({ model: 'svc-gpt', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10 }),
    )
    expect([attempts, charge]).toEqual([2, 420_000n])
    const { totals, data } = (await (await failing.fetch('/v1/usage')).json()) as {
      totals: { requests: number; credits_charged: number }
      data: UsageRecordBody[]
    }
    expect(totals).toMatchObject({ requests: 2, credits_charged: 0.00042 })
    expect(data.map(({ status }) => status)).toEqual(['ok', 'error'])
  })

  // Case B041: a stream was delivered already, so its charge is written as soon as the books can be written again.
  test('a delivered stream is charged later, once, and its client gets an error', async () => {
    await failing.gateway.database.write([statement(refuse)])
    stub.onChat = (_call, response) => sendStream(response, { usage: { prompt_tokens: 10, completion_tokens: 5 } })
    const { result, charge } = await chargeOf(failing, async () => {
      const stream = await openStream(failing, body)
      expect((await stream.rest()).json.error).toMatchObject({ code: 'internal_error' })
      await failing.gateway.database.write([statement('drop trigger refuse_once')])
      return stream
    })
    expect(charge).toBe(420_000n)
    expect(await recordOf(failing, result.requestId)).toMatchObject({ charge: 420_000n, status: 'ok' })
  })
})
