/** PostgreSQL goes away under a whole gateway: requests fail in a way that clients repeat, and the books stay right. */
import { endpointList } from '../packages/contract/src/endpoints.ts'
import { consoleEndpointList } from '../packages/contract/src/console-endpoints.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { BrowserSession } from '../packages/server/testing/browser-session.ts'
import { eventually } from '../packages/server/testing/eventually.ts'
import { peopleEnv, signInByMail } from '../packages/server/testing/people.ts'
import { openPostgresSession } from '../packages/server/testing/postgres-session.ts'
import { startTcpProxy, type TcpProxy } from '../packages/server/testing/tcp-proxy.ts'
import { findPostgres } from '../packages/server/testing/test-database.ts'
import { useGatewayPerTest } from '../packages/server/testing/use-gateway.ts'
import { useMailServer } from '../packages/server/testing/use-mail-server.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'

interface Answer {
  readonly status: number
  readonly code: string | null
  readonly retryAfter: string | null
}

const OVERLOADED: Answer = { status: 503, code: 'server_is_overloaded', retryAfter: expect.stringMatching(/^\d+$/) }
const MODEL = 'svc-gpt'
const ID = '01890a5d-ac96-774b-bcce-b302099a8057'

async function answerOf(asked: Promise<Response>): Promise<Answer> {
  const response = await asked
  const text = await response.text()
  const [, code = null] = /"code":"(\w+)"/.exec(text) ?? []
  return { status: response.status, code, retryAfter: response.headers.get('retry-after') }
}

const addressOf = ({ path }: { readonly path: string }): string => path.replaceAll(/\{\w+\}/g, ID)

describe.skipIf(findPostgres() === null)('a gateway whose database goes away', () => {
  const upstream = useStubUpstream()
  const mail = useMailServer()
  let proxy: TcpProxy
  afterEach(() => proxy.close())
  const gateway = useGatewayPerTest(() => ({
    engine: 'postgres',
    upstreamUrl: upstream.url,
    env: peopleEnv(mail),
    leadTo: async (url) => {
      proxy = await startTcpProxy(url)
      return proxy.through(url)
    },
  }))
  let person: BrowserSession
  beforeEach(async () => {
    person = await signInByMail(gateway, mail, 'ada@example.com')
  })
  afterEach(() => proxy.heal())

  const chat = (more: object = {}, init?: RequestInit) =>
    answerOf(gateway.chat({ model: MODEL, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10, ...more }, init))

  test('answers 503 to whatever needs it, and says so of itself', async () => {
    expect(await chat()).toMatchObject({ status: 200 })
    const { rawKey: unseen } = await gateway.createKey()
    await proxy.refuse()
    const reads = endpointList.filter(({ method, auth }) => method === 'GET' && auth === 'key')
    const pages = consoleEndpointList.filter(({ method }) => method === 'GET')
    const asked: Record<string, Promise<Answer>> = {
      'the key that was just seen': chat(),
      'a stream': chat({ stream: true }),
      'an Idempotency-Key': chat({}, { headers: { 'idempotency-key': 'one' } }),
      'a key that was not seen': answerOf(gateway.fetch('/v1/balance', { key: unseen })),
      'signing in': answerOf(person.call('POST', '/auth/sign-in/magic-link', { email: 'eve@example.com' })),
      'signing in by password': answerOf(
        person.call('POST', '/auth/sign-in/email', { email: 'a@b.example', password: 'x' }),
      ),
      'signing out': answerOf(person.call('POST', '/auth/sign-out', {})),
    }
    for (const each of reads) asked[`GET ${each.path}`] = answerOf(gateway.fetch(addressOf(each)))
    for (const each of pages) asked[`GET ${each.path}`] = answerOf(person.call('GET', addressOf(each)))
    const answers = await Promise.all(
      Object.entries(asked).map(async ([name, answer]) => [name, await answer] as const),
    )
    expect(answers.filter(([, { status }]) => status !== 503)).toEqual([])
    expect(answers).toEqual(answers.map(([name]) => [name, OVERLOADED]))
    expect(await gateway.gateway.health()).toMatchObject({ status: 'down', database: 'down' })
    await proxy.heal()
    await eventually(async () => expect(await gateway.gateway.health()).toMatchObject({ status: 'ok' }))
    expect(await chat()).toMatchObject({ status: 200 })
  })

  test('lives while its connections are cut all the time, and every request ends as it may', async () => {
    // Long enough for a busy machine to make a connection and use it: one that never can leaves what it asked unknown,
    // which the sweep ends after two minutes.
    const heal = proxy.cutEvery(500)
    const seen = new Map<string, number>()
    const worker = async (turn: number): Promise<void> => {
      for (let each = 0; each < 12; each++) {
        const { status, code } = await (turn % 3 === 0
          ? answerOf(gateway.fetch('/v1/balance'))
          : chat(
              { stream: turn % 3 === 1 },
              each % 2 === 0 ? {} : { headers: { 'idempotency-key': `${turn}-${each}` } },
            ))
        const name = `${status} ${code}`
        seen.set(name, (seen.get(name) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: 6 }, (_, turn) => worker(turn)))
    heal()
    const allowed = ['200 null', '200 server_is_overloaded', '503 server_is_overloaded', '409 idempotency_key_in_use']
    expect([...seen.keys()].filter((name) => !allowed.includes(name))).toEqual([])
    expect(seen.get('200 null')).toBeGreaterThan(0)
  })

  test('answers in time while another session keeps the balance locked', async () => {
    const session = await openPostgresSession(gateway.databaseUrl ?? '')
    await session.query('begin')
    await session.query('select from balance for update')
    const asked = chat()
    const state = async (): Promise<string> => (await gateway.gateway.health()).database
    await expect.poll(state, { timeout: 20_000 }).toBe('degraded')
    expect(await asked).toEqual(OVERLOADED)
    await session.close()
    expect(await chat()).toMatchObject({ status: 200 })
  })
})
