/** Routes with several upstreams: who is asked, what may be repeated, and what is held and charged for it. */
import type { ServerResponse } from 'node:http'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { ConfigFile } from '../packages/server/src/config/config-file.ts'
import {
  beginStream,
  chunkText,
  sendCompletion,
  sendEvent,
  sendStream,
  usageText,
} from '../packages/server/testing/stub-upstream.ts'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { chargeOf, lastRecord } from './charge-of.ts'
import { errorOf } from './error-of.ts'
import { QUESTION, streamOf } from './events-of.ts'
import { eventually } from '../packages/server/testing/eventually.ts'

type Route = NonNullable<ConfigFile['routes']>[string]

/** USD for a million tokens: `dear` costs ten times what `cheap` does, and both more than the card. */
const CHEAP = { input: '100', output: '100' }
const DEAR = { input: '1000', output: '1000' }
/** 10 and 5 tokens at a price, × 1.2, in nanocredits. */
const chargeAt = (usdPerMillion: bigint): bigint => (15n * usdPerMillion * 1_000_000n * 12n) / 10n

const first = useStubUpstream()
const second = useStubUpstream()
/** Gateways by what they were started with: tests that want the same share one. */
const started = new Map<string, Promise<TestGateway>>()

beforeEach(() => {
  for (const stub of [first, second]) {
    stub.chats.length = 0
    stub.onChat = (call, response) => (call.json?.['stream'] === true ? sendStream(response) : sendCompletion(response))
  }
})
afterAll(() => Promise.all([...started.values()].map((gateway) => gateway.then((running) => running.stop()))))

const TARGETS: Route = {
  targets: [
    { upstream: 'first', model: 'one', price: CHEAP },
    { upstream: 'second', model: 'two', price: DEAR },
  ],
}

interface Start {
  readonly route?: Route
  readonly firstUrl?: string
  readonly more?: object
  readonly limits?: ConfigFile['limits']
  readonly credits?: string
}

function start(options: Start = {}): Promise<TestGateway> {
  const asked = JSON.stringify(options)
  const gateway = started.get(asked) ?? startGateway(options)
  started.set(asked, gateway)
  return gateway
}

function startGateway({ route = TARGETS, firstUrl, more = {}, limits, credits = '1000000' }: Start) {
  const upstream = (name: string, url: string) => ({ name, kind: 'openai-compatible', url, ...more }) as const
  return startTestGateway({
    credits,
    env: { SVC_ADMIN_PORT: '0' },
    file: {
      upstreams: [upstream('first', firstUrl ?? first.url), upstream('second', second.url)],
      routes: { 'svc-gpt': route, 'svc-llama-tee': route },
      ...(limits === undefined ? {} : { limits }),
    },
  })
}

type Answer = (response: ServerResponse) => void

function json(status: number, body: string, headers: Record<string, string> = {}): Answer {
  return (response) => void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}

const says = (status: number, headers: Record<string, string> = {}): Answer =>
  json(status, `{"error":{"message":"no","code":${status}}}`, headers)

/** An address without a server: no system gives this port to a server. */
const DEAD_URL = 'http://127.0.0.1:1/v1'

const asks = () => [first.chats.length, second.chats.length]

/** Failures of which it is certain that nothing was billed. */
const unbilled: readonly [name: string, answer: Answer][] = [
  ['401: our key is refused', says(401)],
  ['402: our credit is used up', says(402)],
  ['403', says(403)],
  ['404: it does not have the model', says(404)],
  ['429', says(429)],
  ['429 with a page', json(429, '<html>slow down', { 'content-type': 'text/html' })],
  ['503 in its own words', says(503)],
  ['503 that says when to come back', json(503, '', { 'retry-after': '30' })],
  ['529', says(529)],
]

/** Failures after which it may have worked for money. */
const doubtful: readonly [name: string, answer: Answer, status: number][] = [
  ['500', says(500), 502],
  ['502 of a proxy', json(502, '<html>Bad gateway'), 502],
  ['503 of a proxy', json(503, '<html>Sorry'), 503],
  ['504', says(504), 504],
  ['200 with an error', json(200, '{"error":{"code":503,"message":"late"}}'), 503],
  ['a broken connection', (response) => void response.destroy(), 502],
  ['an answer that is cut', (response) => void response.writeHead(200).write('{', () => response.destroy()), 502],
]

/** Failures that speak about the request itself: another upstream would say the same. */
const callersOwn: readonly [name: string, answer: Answer, status: number][] = [
  ['400', says(400), 400],
  ['413', says(413), 413],
  ['422', says(422), 400],
  ['400 for its length', json(400, '{"error":{"message":"long","code":"context_length_exceeded"}}'), 400],
]

describe.each([{ stream: false }, { stream: true }])('a request to a route of two, %j', ({ stream }) => {
  const askBoth = async (target: TestGateway): Promise<number> => {
    const response = await target.chat({ ...QUESTION, stream })
    await response.text()
    return response.status
  }

  test.each(unbilled)('goes on to the second after %s, and is charged its price', async (_name, answer) => {
    const target = await start()
    first.onChat = (_call, response) => answer(response)
    const { result, charge } = await chargeOf(target, () => askBoth(target))
    expect([result, asks(), charge]).toEqual([200, [1, 1], chargeAt(1_000n)])
    expect(second.chats[0]?.json).toMatchObject({ model: 'two' })
    expect(await lastRecord(target)).toMatchObject({ upstream_model: 'two', status: 'ok', basis: 'list' })
  })

  test('goes on to the second when the first cannot be reached', async () => {
    const target = await start({ firstUrl: DEAD_URL })
    const { result, charge } = await chargeOf(target, () => askBoth(target))
    expect([result, asks(), charge]).toEqual([200, [0, 1], chargeAt(1_000n)])
  })

  test.each(doubtful)('is not repeated after %s, which may have been billed', async (_name, answer, status) => {
    const target = await start()
    first.onChat = (_call, response) => answer(response)
    const { result, charge } = await chargeOf(target, () => askBoth(target))
    expect([result, asks(), charge]).toEqual([status, [1, 0], 0n])
  })

  test.each(callersOwn)('is not repeated after %s, which is about the request', async (_name, answer, status) => {
    const target = await start()
    first.onChat = (_call, response) => answer(response)
    expect([await askBoth(target), asks()]).toEqual([status, [1, 0]])
  })

  test('goes on after a failure that the upstream is known not to bill', async () => {
    const target = await start({ more: { failures_are_free: true } })
    for (const answer of [says(500), says(502), json(200, '{"error":{"code":503,"message":"late"}}')]) {
      first.chats.length = 0
      second.chats.length = 0
      first.onChat = (_call, response) => answer(response)
      expect([await askBoth(target), asks()]).toEqual([200, [1, 1]])
    }
    // What a proxy in between says, or no server, is no verdict of the upstream.
    for (const [status, answer] of [
      [504, says(504)],
      [502, json(502, '<html>')],
      [502, (response: ServerResponse) => void response.destroy()],
    ] as const) {
      second.chats.length = 0
      first.onChat = (_call, response) => answer(response)
      expect([await askBoth(target), second.chats.length]).toEqual([status, 0])
    }
  })

  test('is not repeated after an answer without content', async () => {
    const target = await start()
    const nothing = { usage: { prompt_tokens: 10, completion_tokens: 0 } } as const
    first.onChat = (_call, response) =>
      stream ? sendStream(response, { words: [], ...nothing }) : sendCompletion(response, { text: '', ...nothing })
    expect([await askBoth(target), asks()]).toEqual([502, [1, 0]])
  })

  test('is asked once more where it began, when that says to come back soon and the others fail, too', async () => {
    const target = await start()
    first.onChat = (call, response) =>
      first.chats.length === 1
        ? says(429, { 'retry-after': '1' })(response)
        : stream
          ? sendStream(response)
          : sendCompletion(response, { text: `Hello ${call.path}` })
    second.onChat = (_call, response) => says(503)(response)
    const { result, charge } = await chargeOf(target, () => askBoth(target))
    expect([result, asks(), charge]).toEqual([200, [2, 1], chargeAt(100n)])
    expect(await lastRecord(target)).toMatchObject({ upstream_model: 'one' })
  })

  test('fails as the last one failed, free and once each, when all fail', async () => {
    const target = await start()
    first.onChat = (_call, response) => says(429, { 'retry-after': '30' })(response)
    second.onChat = (_call, response) => says(403, { 'retry-after': '7' })(response)
    const { result, charge } = await chargeOf(target, () => target.chat({ ...QUESTION, stream }))
    const error = await errorOf(result)
    expect([result.status, error.code, result.headers.get('retry-after')]).toEqual([503, 'upstream_unavailable', '7'])
    expect([asks(), charge]).toEqual([[1, 1], 0n])
  })
})

describe('a stream of two upstreams', () => {
  // B057, from the other side: nothing has come yet.
  test('is taken over whole by the second when the first fails before its first content', async () => {
    const target = await start({ more: { failures_are_free: true } })
    first.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ role: 'assistant', content: '' }))
      sendEvent(response, '{"error":{"code":502,"message":"provider is gone"}}')
      response.end()
    }
    const { result, charge } = await chargeOf(target, () => streamOf(target))
    expect([result.response.status, result.content, asks()]).toEqual([200, 'Hello world', [1, 1]])
    const roles = result.frames.flatMap((frame) => frame.choices ?? []).filter((choice) => 'role' in choice.delta)
    expect(roles).toHaveLength(1)
    expect(charge).toBe(chargeAt(1_000n))
  })

  test('stays where it is once a word has come', async () => {
    const target = await start({ more: { failures_are_free: true } })
    first.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ content: 'Hel' }))
      sendEvent(response, '{"error":{"code":502,"message":"provider is gone"}}')
      response.end()
    }
    const { content, frames } = await streamOf(target)
    expect([content, asks(), frames.at(-1)?.error?.['code']]).toEqual(['Hel', [1, 0], 'upstream_error'])
  })

  test('stays where it is once the 200 has gone out, though without a word', async () => {
    const target = await start({ more: { failures_are_free: true }, limits: { first_content_ms: 50 } })
    first.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ role: 'assistant', content: '' }))
      setTimeout(() => response.end('data: {"error":{"code":502,"message":"gone"}}\n\n'), 150)
    }
    const { response, frames } = await streamOf(target)
    expect([response.status, asks()]).toEqual([200, [1, 0]])
    expect(frames.at(-1)?.error).toMatchObject({ code: 'upstream_error' })
  })

  test('stays where it is when the first says what it billed for its failure', async () => {
    const target = await start({ more: { failures_are_free: true } })
    first.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, usageText({ prompt_tokens: 10, completion_tokens: 0 }, '0.001'))
      sendEvent(response, '{"error":{"code":502,"message":"provider is gone"}}')
      response.end()
    }
    const response = await target.chat({ ...QUESTION, stream: true })
    expect([response.status, asks()]).toEqual([502, [1, 0]])
  })
})

describe('an upstream alone', () => {
  const ALONE: Route = { upstream: 'first', model: 'one', price: CHEAP }

  test.each(['1', '2'])('that says to come back in %s s is asked once more', async (seconds) => {
    const target = await start({ route: ALONE })
    first.onChat = (_call, response) =>
      first.chats.length === 1 ? says(503, { 'retry-after': seconds })(response) : sendCompletion(response)
    expect((await target.chat(QUESTION)).status).toBe(200)
    expect(asks()).toEqual([2, 0])
  })

  test.each([
    ['says to come back later', says(429, { 'retry-after': '3' })],
    ['does not say when', says(429)],
    ['refuses our key', says(401)],
  ] as const)('that %s is not', async (_how, answer) => {
    const target = await start({ route: ALONE })
    first.onChat = (_call, response) => answer(response)
    expect((await target.chat(QUESTION)).status).toBe(503)
    expect(asks()).toEqual([1, 0])
  })

  test('that asks for it again and again is asked twice in all', async () => {
    const target = await start({ route: ALONE })
    first.onChat = (_call, response) => says(503, { 'retry-after': '1' })(response)
    expect((await target.chat(QUESTION)).status).toBe(503)
    expect(asks()).toEqual([2, 0])
  })
})

describe('what is held', () => {
  test('covers the dearest of the route, whichever upstream serves in the end', async () => {
    const target = await start()
    const { promise: served, resolve: serve } = Promise.withResolvers<void>()
    first.onChat = async (_call, response) => {
      await served
      sendCompletion(response)
    }
    const answer = target.chat({ ...QUESTION, max_tokens: 1_000 })
    await eventually(() => expect(first.chats).toHaveLength(1))
    const { held } = await target.balance()
    // 1,000 tokens at the dear price, × 1.2, and the prompt's bound beside them.
    expect(held).toBeGreaterThan(1_200n * 1_000_000_000n)
    serve()
    expect((await answer).status).toBe(200)
    await target.settled()
    expect(await target.balance()).toMatchObject({ held: 0n })
  })

  test('is what decides whether an account can pay: the dearest', async () => {
    const target = await start({ credits: '500' })
    const answer = await target.chat({ ...QUESTION, max_tokens: 1_000 })
    expect([answer.status, asks()]).toEqual([402, [0, 0]])
  })
})

test('the price in the list is that of the dearest', async () => {
  const target = await start()
  const listed = (await (await target.fetch('/v1/models/svc-gpt')).json()) as { svc: object; pricing: object }
  expect(listed.svc).toMatchObject({ credits_per_1m_input: 1_200_000, credits_per_1m_output: 1_200_000 })
  expect(listed.pricing).toMatchObject({ prompt: '0.0012', completion: '0.0012' })
})

test('a confidential alias never falls back', async () => {
  const target = await start()
  const answer = await target.chat({ ...QUESTION, model: 'svc-llama-tee' })
  expect([answer.status, asks()]).toEqual([503, [0, 0]])
})

describe('weights', () => {
  const weighted = (more: object = {}): Route => ({
    targets: [
      { upstream: 'first', model: 'one', price: CHEAP, weight: 3 },
      { upstream: 'second', model: 'two', price: CHEAP, weight: 1 },
    ],
    ...more,
  })

  test('share the requests out', async () => {
    const target = await start({ route: weighted() })
    for (let turn = 0; turn < 400; turn += 20) {
      await Promise.all(Array.from({ length: 20 }, () => target.chat(QUESTION).then((answer) => answer.text())))
    }
    // 300 of 400 with a deviation of 8.7: eight of them away is no accident.
    expect(first.chats.length).toBeGreaterThan(230)
    expect(first.chats.length).toBeLessThan(370)
    expect(first.chats.length + second.chats.length).toBe(400)
  })

  test('still fall back, unless they may not', async () => {
    first.onChat = (_call, response) => says(429)(response)
    const target = await start({ route: weighted() })
    for (let turn = 0; turn < 10; turn++) expect((await target.chat(QUESTION)).status).toBe(200)
    second.onChat = (_call, response) => says(429)(response)
    first.chats.length = 0
    second.chats.length = 0
    const strict = await start({ route: weighted({ fallback: false }) })
    for (let turn = 0; turn < 10; turn++) expect((await strict.chat(QUESTION)).status).toBe(503)
    expect(first.chats.length + second.chats.length).toBe(10)
  })
})

describe('circuits', () => {
  async function figures(target: TestGateway): Promise<string[]> {
    const text = await (await fetch(`${target.gateway.adminOrigin()}/metrics`)).text()
    const lines = text.split('\n').filter((line) => /^svc_upstream_(circuit_state|repeats_total)\{/.test(line))
    return lines.toSorted()
  }
  const health = async (target: TestGateway) =>
    (await (await target.fetch('/health')).json()) as { circuits: object; routing: { text: string } }
  let openMs = 3_600_000
  let limits = { breaker_failures: 3, breaker_open_ms: openMs }
  // Circuits are remembered, so each of these tests has a gateway of its own.
  beforeEach(() => {
    openMs--
    limits = { breaker_failures: 3, breaker_open_ms: openMs }
  })

  test('an upstream that keeps failing is left alone, the other serves, and the health page shows it', async () => {
    const target = await start({ limits })
    first.onChat = (_call, response) => says(503)(response)
    for (let turn = 0; turn < 10; turn++) expect((await target.chat(QUESTION)).status).toBe(200)
    expect(asks()).toEqual([3, 10])
    expect(await health(target)).toMatchObject({ circuits: { open: 1, half_open: 0 }, routing: { text: 'degraded' } })
    expect(await figures(target)).toEqual([
      'svc_upstream_circuit_state{upstream="first",model="one"} 2',
      'svc_upstream_repeats_total{from="first",to="second",reason="fallback"} 3',
    ])
    expect(target.logged.filter((line) => line.includes('an attempt is repeated'))).toHaveLength(3)
  })

  test('when all are left alone no upstream is asked, nothing is held, and the answer says when to come back', async () => {
    const target = await start({ limits: { ...limits, breaker_open_ms: 30_000 } })
    for (const stub of [first, second]) stub.onChat = (_call, response) => says(503)(response)
    for (let turn = 0; turn < 3; turn++) expect((await target.chat(QUESTION)).status).toBe(503)
    const refused = await target.chat(QUESTION)
    const seconds = Number(refused.headers.get('retry-after'))
    expect([(await errorOf(refused)).code, asks()]).toEqual(['upstream_unavailable', [3, 3]])
    expect(seconds).toBeGreaterThan(20)
    expect(seconds).toBeLessThanOrEqual(30)
  })

  test('an upstream that has no credit for us is left alone at once, for all its models', async () => {
    const target = await start({ limits })
    first.onChat = (_call, response) => says(402)(response)
    for (let turn = 0; turn < 5; turn++) expect((await target.chat(QUESTION)).status).toBe(200)
    expect(asks()).toEqual([1, 5])
    expect(await figures(target)).toContain('svc_upstream_circuit_state{upstream="first",model=""} 2')
  })

  test("a caller's own mistakes open nothing", async () => {
    const target = await start({ limits })
    first.onChat = (_call, response) => says(400)(response)
    for (let turn = 0; turn < 10; turn++) expect((await target.chat(QUESTION)).status).toBe(400)
    expect([asks(), (await health(target)).circuits]).toEqual([[10, 0], { open: 0, half_open: 0 }])
  })

  test('callers who hang up open nothing', async () => {
    const target = await start({ limits })
    first.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ content: 'Hello' }))
    }
    for (let turn = 0; turn < 6; turn++) {
      const leaving = new AbortController()
      const response = await target.chat({ ...QUESTION, stream: true }, { signal: leaving.signal })
      await response.body?.getReader().read()
      leaving.abort()
      await target.settled()
    }
    expect([asks(), (await health(target)).circuits]).toEqual([[6, 0], { open: 0, half_open: 0 }])
  })

  test('an upstream that works again is asked again', async () => {
    const target = await start({ limits: { ...limits, breaker_open_ms: 100 } })
    first.onChat = (_call, response) => says(503)(response)
    for (let turn = 0; turn < 3; turn++) await target.chat(QUESTION)
    first.onChat = (_call, response) => sendCompletion(response)
    await eventually(async () => {
      await target.chat(QUESTION)
      expect(first.chats.length).toBeGreaterThan(3)
    })
    expect((await health(target)).circuits).toEqual({ open: 0, half_open: 0 })
  })

  test('streams that break in the middle count, too', async () => {
    const target = await start({ limits })
    first.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ content: 'Hello' }))
      setTimeout(() => response.destroy(), 10)
    }
    for (let turn = 0; turn < 3; turn++) await streamOf(target)
    const { content } = await streamOf(target)
    expect([content, asks()]).toEqual(['Hello world', [3, 1]])
  })
})
