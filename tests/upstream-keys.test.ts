/**
 * Several keys of one upstream, with every kind of paid request: a refused key rests and another serves, before the
 * request fails. Source: decision 0142.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { sendStream, type StubCall, type StubHandler } from '../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { type PaidKind, PAID_KINDS, paidRoutes, usePaidStub } from './paid-kinds.ts'

const KEYS = { KEY_ONE: 'upstream-secret-one', KEY_TWO: 'upstream-secret-two', KEY_THREE: 'upstream-secret-three' }
const NAMES = Object.keys(KEYS)

/** Time that has gone by for the gateway beside the real one, in milliseconds. */
let skipped = 0
const clock = { now: () => Date.now() + skipped, elapsed: () => performance.now() + skipped }

const stub = usePaidStub()
const gateway = useGateway(() => ({
  ...{ clock, credits: '1000000' },
  env: { ...KEYS, SVC_ADMIN_PORT: '0' },
  file: {
    upstreams: [
      { name: 'first', kind: 'openai-compatible', url: stub.url, api_key_env: NAMES, failures_are_free: true },
    ],
    routes: Object.fromEntries(
      Object.entries(paidRoutes()).map(([model, { targets = [], ...route }]) => [
        model,
        { ...route, targets: targets.slice(0, 1) },
      ]),
    ),
  },
}))

beforeEach(() => {
  stub.reset()
  // Every key has rested.
  skipped += 3_600_000
})

const keyOf = ({ headers }: StubCall): string => {
  const secret = headers.authorization?.replace('Bearer ', '')
  return Object.entries(KEYS).find(([, each]) => each === secret)?.[0] ?? 'none'
}
const keysAsked = (): readonly string[] => stub.calls.map(keyOf)

const refusal = (status: number, headers: Readonly<Record<string, string>> = {}): StubHandler => {
  const body = JSON.stringify({ error: { message: 'no', code: status } })
  return (_call, response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}

/** Refuses the keys that are named, and works for the others. */
function refuse(names: readonly string[], refused: StubHandler): void {
  const works = stub.onWork
  stub.onWork = (call, response) => (names.includes(keyOf(call)) ? refused : works)(call, response)
}

async function chargesOf(): Promise<number> {
  await gateway.settled()
  const { read } = gateway.gateway.database
  return (
    await read
      .selectFrom('transfer')
      .select('charge')
      .where('charge', '>', 0n as never)
      .execute()
  ).length
}

describe.each(PAID_KINDS)('$name', (kind) => {
  test.each([401, 402, 429])('is served by another key where one is refused with %i', async (status) => {
    const before = await chargesOf()
    let refused: string | null = null
    const works = stub.onWork
    stub.onWork = (call, response) => {
      refused ??= keyOf(call)
      return (keyOf(call) === refused ? refusal(status) : works)(call, response)
    }
    expect((await kind.ask(gateway, {})).status).toBe(200)
    const [one, two, ...more] = keysAsked()
    expect([one, more]).toEqual([refused, []])
    expect(two).not.toBe(refused)
    // It rests: the next request does not ask it.
    expect((await kind.ask(gateway, {})).status).toBe(200)
    expect(keysAsked().slice(2)).not.toContain(refused)
    expect((await chargesOf()) - before).toBe(kind.name === 'videos' ? 0 : 2)
  })

  test('fails once every key was refused, and is free', async () => {
    const before = await chargesOf()
    refuse(NAMES, refusal(402))
    expect((await kind.ask(gateway, {})).status).toBe(503)
    expect(keysAsked().toSorted()).toEqual(NAMES.toSorted())
    expect(await chargesOf()).toBe(before)
  })
})

const chat = PAID_KINDS.find(({ name }) => name === 'a chat') as PaidKind
const video = PAID_KINDS.find(({ name }) => name === 'videos') as PaidKind

test('a key rests for as long as its refusal says, and no longer', async () => {
  refuse(['KEY_ONE', 'KEY_TWO'], refusal(429, { 'retry-after': '30' }))
  await chat.ask(gateway, {})
  while (new Set(keysAsked()).size < 3) await chat.ask(gateway, {})
  stub.reset()
  skipped += 29_000
  await chat.ask(gateway, {})
  expect(keysAsked()).toEqual(['KEY_THREE'])
  skipped += 2_000
  for (let turn = 0; turn < 3; turn++) await chat.ask(gateway, {})
  expect(new Set(keysAsked()).size).toBe(3)
})

test.each([
  ['OpenAI', (left: number) => ({ 'x-ratelimit-limit-tokens': '1000', 'x-ratelimit-remaining-tokens': `${left}` })],
  [
    'Anthropic',
    (left: number) => ({
      'anthropic-ratelimit-tokens-limit': '1000',
      'anthropic-ratelimit-tokens-remaining': `${left}`,
    }),
  ],
])('the key goes first that has most left, by the headers of %s', async (_, headersOf) => {
  const left: Record<string, number> = { KEY_ONE: 100, KEY_TWO: 900, KEY_THREE: 500 }
  const works = stub.onWork
  stub.onWork = (call, response) => {
    for (const [name, value] of Object.entries(headersOf(left[keyOf(call)] ?? 0))) response.setHeader(name, value)
    return works(call, response)
  }
  // Each is asked once before all have told.
  for (let turn = 0; turn < 3; turn++) await chat.ask(gateway, {})
  expect(new Set(keysAsked()).size).toBe(3)
  for (let turn = 0; turn < 3; turn++) await chat.ask(gateway, {})
  expect(keysAsked().slice(3)).toEqual(['KEY_TWO', 'KEY_TWO', 'KEY_TWO'])
  left['KEY_TWO'] = 10
  for (let turn = 0; turn < 2; turn++) await chat.ask(gateway, {})
  expect(keysAsked().slice(6)).toEqual(['KEY_TWO', 'KEY_THREE'])
})

test('what a model refuses is learned of it once, whichever key has asked', async () => {
  const streamed = PAID_KINDS.find(({ name }) => name === 'a streamed chat') as PaidKind
  const refused = (call: StubCall): boolean => call.text.includes('"stream_options"')
  const works = stub.onWork
  const says = JSON.stringify({ error: { message: 'Extra inputs are not permitted: stream_options', code: 400 } })
  stub.onWork = (call, response) => (refused(call) ? void response.writeHead(400).end(says) : works(call, response))
  for (let turn = 0; turn < 3; turn++) expect((await streamed.ask(gateway, {})).status).toBe(200)
  const served = stub.calls.filter((call) => !refused(call)).map(keyOf)
  expect([new Set(served).size, stub.calls.filter(refused).length]).toEqual([3, 1])
})

test('a key that is refused within a stream rests, and the request goes on with another', async () => {
  const streamed = PAID_KINDS.find(({ name }) => name === 'a streamed chat') as PaidKind
  let isFirst = true
  stub.onWork = (_call, response) => {
    if (!isFirst) return sendStream(response)
    isFirst = false
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end('data: {"error":{"message":"Insufficient credits","code":402}}\n\n')
  }
  expect((await streamed.ask(gateway, {})).status).toBe(200)
  const [refused, other] = keysAsked()
  expect(other).not.toBe(refused)
  stub.reset()
  for (let turn = 0; turn < 3; turn++) expect((await streamed.ask(gateway, {})).status).toBe(200)
  // Nor is the upstream left alone for it.
  expect(keysAsked()).toHaveLength(3)
  expect(keysAsked()).not.toContain(refused)
})

test('a video is looked after with the key that has submitted it', async () => {
  const looks: string[] = []
  const other = stub.stub.onOther
  stub.stub.onOther = (call, response) => {
    if (call.method === 'GET') looks.push(keyOf(call))
    return other(call, response)
  }
  try {
    for (let turn = 0; turn < 3; turn++) await video.ask(gateway, {})
    expect(new Set(keysAsked()).size).toBe(3)
    expect(looks).toEqual(keysAsked())
  } finally {
    stub.stub.onOther = other
  }
})

test('keys are known by their names alone, in metrics and in the log', async () => {
  refuse(['KEY_ONE'], refusal(401))
  for (let turn = 0; turn < 4; turn++) await chat.ask(gateway, {})
  const admin = gateway.gateway.adminOrigin()
  const scraped = await (await fetch(`${admin}/metrics`)).text()
  const samples = scraped.split('\n').filter((line) => line.startsWith('svc_upstream_key_'))
  const of = (name: string, labels: string): number => {
    const sample = samples.find((line) => line.startsWith(`svc_upstream_key_${name}{upstream="first",key="${labels}} `))
    return Number(sample?.split(' ').at(-1))
  }
  expect([of('resting', 'KEY_ONE"'), of('resting', 'KEY_TWO"')]).toEqual([1, 0])
  expect(of('calls_total', 'KEY_ONE",outcome="failed"')).toBeGreaterThan(0)
  expect(of('calls_total', 'KEY_TWO",outcome="ok"')).toBeGreaterThan(0)
  expect(of('left_ratio', 'KEY_ONE"')).toBeGreaterThanOrEqual(0)
  const logged = gateway.logged.join('\n')
  expect(logged.includes('"key":"KEY_ONE"')).toBe(true)
  expect(Object.values(KEYS).filter((secret) => (scraped + logged).includes(secret))).toEqual([])
})
