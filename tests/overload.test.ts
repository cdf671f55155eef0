/**
 * A paid request of any kind that would wait too long is refused before anything is held, in the words of its form, and
 * what has begun goes on. Source: decision 0154.
 */
import { afterAll, beforeEach, expect, test } from 'vitest'
import { eventually } from '../packages/server/testing/eventually.ts'
import type { StubHandler } from '../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { createDatabaseFault } from './database-faults.ts'
import { type Asked, type PaidKind, PAID_KINDS, paidRoutes, usePaidStub } from './paid-kinds.ts'

/** The longest that a request may be expected to wait, in milliseconds: more than a busy machine is late by itself. */
const WAITING_MS = 2_000

/** Time stands still for the gateway, so that no call takes long, until it is moved. In milliseconds. */
let skipped = 0
const startedAt = Date.now()
const clock = { now: () => startedAt + skipped, elapsed: () => skipped }

const first = usePaidStub()
const second = usePaidStub()
const gateway = useGateway(() => {
  const upstream = (name: string, url: string) =>
    ({ name, kind: 'openai-compatible', url, requests_at_once: 1, failures_are_free: true }) as const
  return {
    ...{ clock, credits: '1000000', env: { SVC_ADMIN_PORT: '0' } },
    file: {
      upstreams: [upstream('first', first.url), upstream('second', second.url)],
      routes: paidRoutes(),
      limits: { waiting_ms: WAITING_MS },
    },
  }
})
const fault = createDatabaseFault('sqlite', () => gateway.dataDir)
afterAll(() => fault.close())

beforeEach(() => {
  first.reset()
  second.reset()
})

const chat = PAID_KINDS.find(({ name }) => name === 'a chat') as PaidKind
const stream = PAID_KINDS.find(({ name }) => name === 'a streamed chat') as PaidKind

const asked = (): number => first.calls.length + second.calls.length

/** What says that a request was refused, in whichever form. */
const refused = (name: string) => [name, 503, 'server_is_overloaded', true]
const readRefusal = (name: string, { status, code, headers }: Asked) => {
  const seconds = Number(headers.get('retry-after'))
  return [name, status, code, seconds >= 1 && seconds <= 30]
}

/** Lets the upstreams work once they are told to. @returns what tells them. */
function holdBack(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  for (const stub of [first, second]) {
    const works: StubHandler = stub.onWork
    stub.onWork = async (call, response) => {
      await promise
      return works(call, response)
    }
  }
  return resolve
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${gateway.gateway.adminOrigin()}/metrics`)).text()
  const [line = ''] = text.split('\n').filter((each) => each.startsWith(name))
  return Number(line.split(' ').at(-1))
}

test('a request of any kind is refused while all its upstreams are busy for too long, and nothing is held', async () => {
  const before = await metric('svc_overload_refusals_total{waits_for="upstream"}')
  const letWork = holdBack()
  const begun = [chat.ask(gateway, {}), stream.ask(gateway, {})]
  await eventually(() => expect(asked()).toBe(2))
  expect(await metric('svc_upstream_turns{upstream="second",state="running"}')).toBe(1)
  const { held } = await gateway.balance()
  skipped += WAITING_MS + 60_000
  const answers = []
  for (const kind of PAID_KINDS) answers.push(readRefusal(kind.name, await kind.ask(gateway, {})))
  expect(answers).toEqual(PAID_KINDS.map(({ name }) => refused(name)))
  expect([asked(), (await gateway.balance()).held]).toEqual([2, held])
  expect(await metric('svc_overload_refusals_total{waits_for="upstream"}')).toBe(before + PAID_KINDS.length)
  letWork()
  expect((await Promise.all(begun)).map(({ status }) => status)).toEqual([200, 200])
})

test('requests wait for their turn in the order in which they came, and one that leaves gives its place away', async () => {
  // Calls are known to be short.
  for (let turn = 0; turn < 60; turn++) await chat.ask(gateway, {})
  first.reset()
  second.reset()
  const letWork = holdBack()
  const running = [chat.ask(gateway, {}), stream.ask(gateway, {})]
  await eventually(() => expect(asked()).toBe(2))
  const ended = new AbortController()
  const body = (text: string) =>
    JSON.stringify({ model: 'talks', stream: true, messages: [{ role: 'user', content: text }] })
  const ask = (text: string, signal: AbortSignal | null = null) =>
    gateway.fetch('/v1/chat/completions', {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: body(text) },
      ...(signal === null ? {} : { signal }),
    })
  const waits = (count: number) =>
    eventually(async () => expect(await metric('svc_upstream_turns{upstream="first",state="waiting"}')).toBe(count))
  const [left] = [ask('leaves', ended.signal).catch(() => null), await waits(1)]
  const [one] = [ask('one'), await waits(2)]
  const [two] = [ask('two'), await waits(3)]
  ended.abort()
  await left
  await waits(2)
  expect(asked()).toBe(2)
  letWork()
  await Promise.all(running)
  for (const answer of [await one, await two]) {
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('[DONE]')
  }
  const texts = first.calls.slice(1).map(({ text }) => /"content":"(\w+)"/.exec(text)?.[1])
  expect(texts).toEqual(['one', 'two'])
})

test('a request of any kind is refused while the ledger keeps others waiting too long', async () => {
  await fault.begin()
  const begun = chat.ask(gateway, {})
  await eventually(() => expect(gateway.gateway.ledger.waitMs).toBeGreaterThan(WAITING_MS))
  const answers = await Promise.all(PAID_KINDS.map(async (kind) => readRefusal(kind.name, await kind.ask(gateway, {}))))
  await fault.end()
  expect(answers).toEqual(PAID_KINDS.map(({ name }) => refused(name)))
  expect(await metric('svc_overload_refusals_total{waits_for="ledger"}')).toBe(PAID_KINDS.length)
  // It waits until the ledger gives it up, or the database is back.
  await begun
  await eventually(async () => expect((await chat.ask(gateway, {})).status).toBe(200))
})
