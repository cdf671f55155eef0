/** Answers that are finished while the database is away: they are delivered, and charged once, when it is back. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../packages/server/testing/eventually.ts'
import { rawRequest } from '../packages/server/testing/raw-request.ts'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import { useGatewayPerTest } from '../packages/server/testing/use-gateway.ts'
import { createDatabaseFault, type DatabaseFault } from './database-faults.ts'
import { createGate } from './open-stream.ts'
import { type Asked, PAID_KINDS, type PaidKind, paidRoutes, usePaidStub } from './paid-kinds.ts'

/** A job of a video is settled when it is polled, which needs the database itself. */
const KINDS = PAID_KINDS.filter(({ name }) => name !== 'videos')
const SPEECH = 'speech'
/** Beyond the time after which a settlement goes into the file. */
const TIME = 180_000

/** What an answer says of its charge: in its body, or in its headers where the body is no place for it. */
function toldOf({ text, headers }: Asked): { readonly credits: string; readonly state: string | null } {
  const [, inBody] = /"svc":(\{[^}]*\})/.exec(text) ?? []
  if (inBody === undefined) {
    return { credits: headers.get('x-svc-credits-charged') ?? '', state: headers.get('x-svc-charge-state') }
  }
  const [, credits = ''] = /"credits_charged":([0-9.]+)/.exec(inBody) ?? []
  return { credits, state: inBody.includes('"state":"pending"') ? 'pending' : null }
}

describeEachEngine('a database that goes away while upstreams work', (engine) => {
  const upstream = usePaidStub()
  let fault: DatabaseFault
  beforeEach(() => {
    upstream.reset()
    fault = createDatabaseFault(engine, () => gateway.dataDir)
  })
  afterEach(() => fault.close())
  const gateway = useGatewayPerTest(() => {
    const target = { name: 'first', kind: 'openai-compatible', url: upstream.url, reports_cost: true } as const
    return {
      ...{ engine, leadTo: fault.leadTo, credits: '1000000' },
      file: {
        upstreams: [target, { ...target, name: 'second' }],
        routes: paidRoutes(),
        limits: { journal_ms: 500 },
      },
    }
  })
  afterEach(() => fault.end())

  /** Asks for everything, and takes the database away once the upstream works on all of it. */
  async function askDuringFault(
    kinds: typeof KINDS,
    headersOf: (kind: PaidKind) => Record<string, string> = () => ({}),
  ): Promise<Asked[]> {
    const gate = createGate()
    const works = upstream.onWork
    upstream.onWork = async (call, response) => {
      await gate.opened
      return works(call, response)
    }
    const asked = kinds.map((kind) => kind.ask(gateway, { headers: headersOf(kind) }))
    await eventually(() => expect(upstream.calls).toHaveLength(kinds.length))
    await fault.begin()
    gate.open()
    return Promise.all(asked)
  }

  const recordsOf = async (answers: readonly Asked[]) => {
    const ids = answers.map(({ headers }) => headers.get('x-request-id') ?? '')
    return gateway.gateway.database.read
      .selectFrom('usage_record')
      .select(['usage_id', 'charge', 'status'])
      .where('usage_id', 'in', ids)
      .execute()
  }
  const folder = (): string => join(gateway.dataDir, 'settlements')

  test(
    'leaves every kind of answer delivered, pending, and charged once as shown',
    async () => {
      const before = await gateway.balance()
      const answers = await askDuringFault(KINDS)
      for (const [place, { name }] of KINDS.entries()) {
        const answer = answers[place] as Asked
        expect([name, answer.status, answer.code]).toEqual([name, 200, null])
        // The headers of an audio file leave before its end: what becomes of its charge is a trailer, which `fetch`
        // drops.
        expect([name, toldOf(answer).state]).toEqual([name, name === SPEECH ? null : 'pending'])
      }
      const [file = ''] = readdirSync(folder()).filter((name) => name.endsWith('.journal'))
      expect(statSync(join(folder(), file)).mode & 0o777).toBe(0o600)
      const written = readFileSync(join(folder(), file), 'utf8')
      for (const secret of ['Say hello.', 'Hello', gateway.key]) expect(written).not.toContain(secret)
      expect((await gateway.gateway.health()).database).not.toBe('ok')

      await fault.end()
      await gateway.settled()
      const records = await recordsOf(answers)
      expect(records).toHaveLength(KINDS.length)
      let sum = 0n
      for (const [place, answer] of answers.entries()) {
        const record = records.find(({ usage_id: id }) => id === answer.headers.get('x-request-id'))
        const [whole = '', fraction = ''] = toldOf(answer).credits.split('.')
        const told = BigInt(`${whole}${fraction.padEnd(9, '0')}`)
        expect([KINDS[place]?.name, record?.charge, record?.status]).toEqual([KINDS[place]?.name, told, 'ok'])
        expect(told).toBeGreaterThan(0n)
        sum += told
      }
      expect(await gateway.balance()).toEqual({ posted: before.posted - sum, held: 0n })
      await eventually(async () => expect((await gateway.gateway.health()).database).toBe('ok'))
    },
    TIME,
  )

  test(
    'keeps the names of its requests until they are charged, and nothing is worked on twice',
    async () => {
      const named = ({ name }: PaidKind) => ({ 'idempotency-key': name.replaceAll(' ', '-') })
      const before = await gateway.balance()
      const answers = await askDuringFault(KINDS, named)
      expect(answers.map(({ status }) => status)).toEqual(KINDS.map(() => 200))
      const during = await Promise.all(KINDS.slice(0, 2).map((kind) => kind.ask(gateway, { headers: named(kind) })))
      for (const { status, code } of during) {
        expect([
          [503, 'server_is_overloaded'],
          [409, 'idempotency_key_in_use'],
        ]).toContainEqual([status, code])
      }
      await fault.end()
      await gateway.settled()
      const { posted } = await gateway.balance()
      // The answers are noted as soon as the database takes them.
      for (const [place, kind] of KINDS.entries()) {
        await eventually(async () => {
          const again = await kind.ask(gateway, { headers: named(kind) })
          // A stream that waits has comments that are no part of its answer.
          const first = answers[place]?.text.replaceAll(': keep-alive\n\n', '')
          expect([kind.name, again.status, again.text]).toEqual([kind.name, 200, first])
        })
      }
      expect(await gateway.balance()).toEqual({ posted, held: 0n })
      expect(posted).toBeLessThan(before.posted)
      expect(upstream.calls).toHaveLength(KINDS.length)
    },
    TIME,
  )

  test(
    'says behind the bytes of an audio file that its charge is pending',
    async () => {
      const speech: PaidKind = {
        ...(KINDS.find(({ name }) => name === SPEECH) as PaidKind),
        ask: async () => {
          const headers = ['content-type', 'application/json', 'authorization', `Bearer ${gateway.key}`]
          const body = JSON.stringify({ model: 'speaks', input: 'Hello.', voice: 'alloy' })
          const answer = await rawRequest(gateway.v1, { method: 'POST', path: '/api/v1/audio/speech', headers, body })
          expect(answer.headers).toMatchObject({ trailer: 'x-svc-charge-state' })
          expect(answer.trailers).toEqual({ 'x-svc-charge-state': 'pending' })
          return { status: answer.status, headers: new Headers(), text: answer.text, code: null }
        },
      }
      expect(await askDuringFault([speech])).toMatchObject([{ status: 200 }])
    },
    TIME,
  )

  test.each([false, true])(
    'answers in the form of Responses, and the next turn may refer to it (stream: %s)',
    async (stream) => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': `turn-${stream}` }
      const ask = (input: unknown, more = {}) =>
        gateway.fetch('/v1/responses', {
          ...{ method: 'POST', headers: { ...headers, ...more } },
          body: JSON.stringify({ model: 'svc-gpt', input, stream }),
        })
      const gate = createGate()
      const works = upstream.onWork
      upstream.onWork = async (call, response) => {
        await gate.opened
        return works(call, response)
      }
      const asked = ask('Say hello.')
      await eventually(() => expect(upstream.calls).toHaveLength(1))
      await fault.begin()
      gate.open()
      const answer = await asked
      expect(answer.status).toBe(200)
      const text = await answer.text()
      const [id = ''] = /msg_[0-9a-z_-]+/i.exec(text) ?? []
      await fault.end()
      await gateway.settled()
      const turns = [
        { type: 'item_reference', id },
        { role: 'user', content: 'Go on.' },
      ]
      const next = await ask(turns, { 'idempotency-key': `next-${stream}` })
      expect([next.status, await next.text()]).toEqual([200, expect.stringContaining('msg_')])
    },
    TIME,
  )
})
