/** Two gateways on one PostgreSQL, as a balancer has them: a key may do as much over both as over one. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { ChatClient } from '../packages/server/testing/chat-client.ts'
import { eventually } from '../packages/server/testing/eventually.ts'
import { beginStream, chunkText, sendCompletion, sendEvent } from '../packages/server/testing/stub-upstream.ts'
import { findPostgres } from '../packages/server/testing/test-database.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { errorOf } from './error-of.ts'
import { ask, createGate, openStream, question } from './open-stream.ts'

const body = question('svc-gpt', { max_tokens: 100 })

describe.skipIf(findPostgres() === null)('two gateways on one database', () => {
  const clock = { time: Date.now(), now: () => clock.time }
  const stub = useStubUpstream()
  const gateway = useGateway(() => ({
    ...{ engine: 'postgres', upstreamUrl: stub.url, clock },
    env: { SVC_ADMIN_PORT: '0' },
    file: { limits: { requests_per_minute: 600, streams_at_once: 3, claims_per_minute: 4 } },
  }))
  let both: readonly ChatClient[]
  beforeAll(async () => {
    both = [gateway, await gateway.startBeside()]
  })

  /** Sends so many requests at once, one to each gateway in turn. */
  const flood = <Answer>(count: number, send: (client: ChatClient) => Promise<Answer>): Promise<Answer[]> =>
    Promise.all(Array.from({ length: count }, (_, turn) => send(both[turn % 2] as ChatClient)))

  test('a key with 600 requests a minute gets exactly its burst of 100 over both, then one at a time', async () => {
    const { rawKey: key } = await gateway.createKey()
    const read = (client: ChatClient): Promise<Response> => client.fetch('/v1/balance', { key })
    const first = await read(gateway)
    expect(first.headers.get('x-ratelimit-remaining-requests')).toBe('99')
    // One of them may still hold a few when the other has none left: the second round uses those up.
    const answers = [...(await flood(150, read)), ...(await flood(150, read))]
    const passed = answers.filter(({ status }) => status === 200)
    expect(passed).toHaveLength(99)
    const refused = answers.filter(({ status }) => status !== 200)
    expect(new Set(refused.map(({ status, headers }) => `${status} ${headers.get('retry-after')}`))).toEqual(
      new Set(['429 1']),
    )
    expect(refused[0]?.headers.get('x-ratelimit-remaining-requests')).toBe('0')
    clock.time += 100
    expect((await flood(10, read)).filter(({ status }) => status === 200)).toHaveLength(1)
  })

  // B129
  test('of twenty streams no more than allowed are open over both, and an ended one makes room in either', async () => {
    const { rawKey: key } = await gateway.createKey()
    const gate = createGate()
    stub.onChat = async (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ content: 'Hi' }))
      await gate.opened
      sendEvent(response, chunkText({}, 'stop'))
      response.end('data: [DONE]\n\n')
    }
    const before = stub.chats.length
    const clientOf = (client: ChatClient): ChatClient => ({
      ...client,
      chat: (sent, init) => client.chat(sent, { key, ...init }),
    })
    const openings = await Promise.allSettled(
      Array.from({ length: 20 }, (_, turn) => openStream(clientOf(both[turn % 2] as ChatClient), body)),
    )
    const opened = openings.flatMap((opening) => (opening.status === 'fulfilled' ? [opening.value] : []))
    expect([opened.length, stub.chats.length - before]).toEqual([3, 3])
    gate.open()
    await Promise.all(opened.map((stream) => stream.rest()))
    for (const client of both) {
      const streams = await Promise.all([1, 2, 3].map(() => eventually(() => openStream(clientOf(client), body))))
      await Promise.all(streams.map((stream) => stream.rest()))
    }
    stub.onChat = (_call, response) => sendCompletion(response)
  })

  // B129
  test('claims of a key are counted over both', async () => {
    const { rawKey: key } = await gateway.createKey()
    const claim = (client: ChatClient): Promise<Response> =>
      client.fetch('/deposits/claim', {
        method: 'POST',
        key,
        headers: { 'content-type': 'application/json' },
        body: '{}',
      })
    const codes = await Promise.all((await flood(12, claim)).map((answer) => errorOf(answer).then(({ code }) => code)))
    expect(codes.filter((code) => code === 'claim_rate_limited')).toHaveLength(8)
  })

  test('the figures say how often the shared limits were asked and who was refused', async () => {
    const text = await (await fetch(`${gateway.gateway.adminOrigin()}/metrics`)).text()
    const valueOf = (sample: string): number =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${sample} `))
          ?.slice(sample.length),
      )
    expect(valueOf('svc_limit_exchange_duration_seconds_count{outcome="ok"}')).toBeGreaterThan(0)
    expect(valueOf('svc_limit_refusals_total{limit="key"}')).toBeGreaterThan(0)
    expect(valueOf('svc_limit_refusals_total{limit="claims"}')).toBeGreaterThan(0)
    expect([valueOf('svc_limit_outages_total'), valueOf('svc_limit_store_down')]).toEqual([0, 0])
    expect((await ask(gateway, body)).status).toBe(200)
  })
})
