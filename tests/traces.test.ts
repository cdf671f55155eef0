/** Traces as a collector receives them. A stop sends what is left, so every test looks after it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  beginStream,
  chunkText,
  sendCompletion,
  sendEvent,
  sendStream,
  startStubUpstream,
  type StubUpstream,
} from '../packages/server/testing/stub-upstream.ts'
import { makeWav } from '../packages/server/testing/make-wav.ts'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { type ReceivedSpan, startTraceReceiver, type TraceReceiver } from '../packages/server/testing/trace-receiver.ts'
import { audioStubOf, postForm, speak, WHISPER } from './audio-upstream.ts'
import { eventually } from '../packages/server/testing/eventually.ts'

const BODY = { model: 'openrouter/openai/gpt-4o-mini', messages: [{ role: 'user', content: 'a very secret prompt' }] }
const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }
const TRACEPARENT = `00-${CALLER.traceId}-${CALLER.spanId}-01`
const SERVER = 'POST /api/v1/chat/completions'
const CHAT = 'chat openai/gpt-4o-mini'

let stub: StubUpstream
let receiver: TraceReceiver
let gateway: TestGateway | null

beforeEach(async () => {
  stub = await startStubUpstream()
  receiver = await startTraceReceiver()
  gateway = null
})

afterEach(async () => {
  await gateway?.stop()
  await receiver.close()
  await stub.close()
})

async function startTraced(env: Readonly<Record<string, string>> = {}): Promise<TestGateway> {
  const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }
  gateway = await startTestGateway({ upstreamUrl: stub.url, env: { ...traced, ...env } })
  return gateway
}

/** Stops the gateway and answers what the collector got by then. */
async function spansAfterStop(): Promise<readonly ReceivedSpan[]> {
  await gateway?.stop()
  gateway = null
  return receiver.spans
}

function named(spans: readonly ReceivedSpan[], name: string): ReceivedSpan {
  const found = spans.filter((span) => span.name === name)
  expect([name, found.length]).toEqual([name, 1])
  return found[0]!
}

describe('a trace', () => {
  test('of audio has a span for the call, and no word of what was said', async () => {
    const traced = await startTraced()
    const audio = audioStubOf(stub)
    await (await speak(traced, { input: 'a very secret prompt' })).arrayBuffer()
    const file = new File([new Uint8Array(makeWav(8_044))], 'a.wav')
    const heard = await postForm(traced, [
      ['model', WHISPER],
      ['file', file],
    ])
    expect([audio.speeches.length, heard.status]).toEqual([1, 200])
    const spans = await spansAfterStop()
    expect(named(spans, 'speech openai/gpt-4o-mini-tts-2025-12-15').attributes).toMatchObject({
      'gen_ai.operation.name': 'speech',
      'gen_ai.response.id': 'gen-audio',
    })
    expect(named(spans, 'transcription openai/whisper-1')).toMatchObject({ kind: 3, statusCode: 0 })
    expect(JSON.stringify(spans)).not.toMatch(/secret|quick brown/)
  })

  test('of a whole answer has the request, its hold, the call and its settlement below one another', async () => {
    const traced = await startTraced()
    stub.onChat = (_call, response) => sendCompletion(response, { text: 'a very secret answer' })
    const answer = await traced.chat(BODY, { headers: { traceparent: TRACEPARENT } })
    await answer.text()
    const spans = await spansAfterStop()
    const server = named(spans, SERVER)
    expect(server).toMatchObject({ traceId: CALLER.traceId, parentSpanId: CALLER.spanId, kind: 2, statusCode: 0 })
    expect(server.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/api/v1/chat/completions',
      'http.response.status_code': 200,
      'svc.request_id': answer.headers.get('x-request-id'),
    })
    const chat = named(spans, CHAT)
    expect(chat).toMatchObject({ traceId: CALLER.traceId, parentSpanId: server.spanId, kind: 3, statusCode: 0 })
    const upstream = new URL(stub.url)
    expect(chat.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'default',
      'gen_ai.request.model': 'openai/gpt-4o-mini',
      'gen_ai.request.stream': false,
      'gen_ai.response.model': 'stub-model',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 5,
      'server.address': upstream.hostname,
      'server.port': Number(upstream.port),
    })
    for (const [step, result] of [
      ['ledger place', 'placed'],
      ['ledger settle', 'settled'],
    ] as const) {
      const span = named(spans, step)
      expect(span).toMatchObject({ traceId: CALLER.traceId, parentSpanId: server.spanId, kind: 1 })
      expect(span.attributes['svc.ledger.result']).toBe(result)
    }
  })

  test('of a stream lasts to its end and knows its first content, its tokens and why it ended', async () => {
    const traced = await startTraced()
    stub.onChat = (_call, response) => sendStream(response)
    await (await traced.chat({ ...BODY, stream: true })).text()
    const spans = await spansAfterStop()
    const chat = named(spans, CHAT)
    expect(chat.parentSpanId).toBe(named(spans, SERVER).spanId)
    expect(chat.attributes).toMatchObject({
      'gen_ai.request.stream': true,
      'gen_ai.response.model': 'stub-model',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 5,
    })
    expect(chat.attributes['gen_ai.response.time_to_first_chunk']).toBeGreaterThan(0)
    expect(named(spans, 'ledger settle').parentSpanId).toBe(named(spans, SERVER).spanId)
  })

  test('of a failure carries its code on every span that it passed, and no message', async () => {
    const traced = await startTraced()
    stub.onChat = (_call, response) => void response.writeHead(500).end('{"error":{"message":"a very secret reason"}}')
    expect((await traced.chat(BODY)).status).toBe(502)
    const spans = await spansAfterStop()
    for (const name of [SERVER, CHAT]) {
      expect(named(spans, name)).toMatchObject({ statusCode: 2, attributes: { 'error.type': 'upstream_error' } })
    }
  })

  test('of what a client did wrong is no failure of the server', async () => {
    const traced = await startTraced()
    expect((await traced.chat({ ...BODY, model: 'nobody/knows' })).status).toBe(404)
    const server = named(await spansAfterStop(), SERVER)
    expect(server.statusCode).toBe(0)
    expect(server.attributes).toMatchObject({ 'http.response.status_code': 404 })
    expect(server.attributes['error.type']).toBeUndefined()
  })

  test('of a hang-up says that the client left and that the gateway stopped the call', async () => {
    const traced = await startTraced()
    stub.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ role: 'assistant', content: 'Hello' }))
    }
    const gone = new AbortController()
    const answer = await traced.chat({ ...BODY, stream: true }, { signal: gone.signal })
    await answer.body?.getReader().read()
    gone.abort()
    await eventually(() => expect(traced.logged.some((line) => line.includes('"status":499'))).toBe(true))
    const spans = await spansAfterStop()
    expect(named(spans, SERVER).attributes['error.type']).toBe('client_closed')
    expect(named(spans, CHAT)).toMatchObject({ statusCode: 0, attributes: { 'svc.stopped': true } })
  })

  test('of requests at the same time never mixes them', async () => {
    const traced = await startTraced()
    await Promise.all(Array.from({ length: 20 }, async () => (await traced.chat(BODY)).text()))
    const spans = await spansAfterStop()
    const servers = spans.filter((span) => span.name === SERVER)
    expect(new Set(servers.map((span) => span.traceId)).size).toBe(20)
    for (const server of servers) {
      const children = spans.filter((span) => span.parentSpanId === server.spanId)
      expect(children.map((span) => span.name).toSorted()).toEqual([CHAT, 'ledger place', 'ledger settle'])
      expect(new Set(children.map((span) => span.traceId))).toEqual(new Set([server.traceId]))
    }
  })

  test('holds no prompt, no answer, no key and no account', async () => {
    const traced = await startTraced()
    const { key, keyId, accountId } = traced
    stub.onChat = (_call, response) => sendCompletion(response, { text: 'a very secret answer' })
    await (await traced.chat(BODY)).text()
    await (await traced.chat({ ...BODY, stream: true })).text()
    await (await traced.fetch('/v1/balance')).text()
    expect((await spansAfterStop()).length).toBeGreaterThan(5)
    const text = Buffer.concat(receiver.bodies).toString('utf8')
    expect(['secret', key, keyId, accountId].filter((secret) => text.includes(secret))).toEqual([])
  })
})

describe('the way of a trace', () => {
  test('ends at the upstream unless its entry says that it may know', async () => {
    const traced = await startTraced()
    await (await traced.chat(BODY, { headers: { traceparent: TRACEPARENT, tracestate: 'a=b' } })).text()
    expect(stub.chats[0]?.headers).not.toHaveProperty('traceparent')
    expect(stub.chats[0]?.headers).not.toHaveProperty('tracestate')
  })

  test('goes on to an upstream that may know it, below the call', async () => {
    gateway = await startTestGateway({
      env: {
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/v1/traces`,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      },
      file: {
        upstreams: [{ name: 'own', kind: 'openai-compatible', url: stub.url, forward_trace: true }],
        prices: { 'own-model': { input: '1', output: '1' } },
        default_price: { input: '1', output: '1' },
      },
    })
    stub.onOther = (_call, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[{"id":"own-model"}]}')
    const traced = gateway
    await eventually(async () => expect((await traced.chat({ ...BODY, model: 'own-model' })).status).toBe(200))
    const spans = await spansAfterStop()
    const chat = named(spans, 'chat own-model')
    expect(stub.chats.at(-1)?.headers['traceparent']).toBe(`00-${chat.traceId}-${chat.spanId}-01`)
  })

  test('leads to a collector by protobuf where nothing else is said', async () => {
    const traced = await startTraced({ OTEL_EXPORTER_OTLP_PROTOCOL: '' })
    await (await traced.chat(BODY)).text()
    await spansAfterStop()
    expect(receiver.paths).toEqual(['/v1/traces'])
    expect(receiver.contentTypes).toEqual(['application/x-protobuf'])
    expect(receiver.bodies[0]?.includes(CHAT)).toBe(true)
  })

  test('is not taken where the sampler keeps nothing, whatever the caller says', async () => {
    const traced = await startTraced({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' })
    expect((await traced.chat(BODY, { headers: { traceparent: TRACEPARENT } })).status).toBe(200)
    expect(await spansAfterStop()).toEqual([])
  })

  test('does not begin where tracing is off', async () => {
    gateway = await startTestGateway({ upstreamUrl: stub.url })
    expect((await gateway.chat(BODY, { headers: { traceparent: TRACEPARENT } })).status).toBe(200)
    await spansAfterStop()
    expect(receiver.paths).toEqual([])
  })

  test('does not keep a gateway from stopping where no collector is', async () => {
    const traced = await startTraced({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })
    expect((await traced.chat(BODY)).status).toBe(200)
    expect(await spansAfterStop()).toEqual([])
  })

  test('that leads nowhere any more is reported once', async () => {
    const traced = await startTraced({ OTEL_EXPORTER_OTLP_ENDPOINT: `${stub.url}/nobody` })
    expect((await traced.chat(BODY)).status).toBe(200)
    await spansAfterStop()
    expect(traced.logged.filter((line) => line.includes('traces cannot be sent'))).toHaveLength(1)
  })
})
