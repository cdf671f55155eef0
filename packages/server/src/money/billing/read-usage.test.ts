import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { usageList, usageQuery, usageReply } from '@svc/contract'
import { capture, DELIVERED, grant, placeHold, release, TEST_NOW } from '../../../testing/ledger-operations.ts'
import { seedCaller, type SeededCaller } from '../../../testing/seed-caller.ts'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../../testing/test-database.ts'
import { createLedgerEngine } from '../ledger/create-ledger-engine.ts'
import type { LedgerOperation, UsageFacts } from '../ledger/operations.ts'
import { listUsage, readUsage } from './read-usage.ts'
import { createUsageStore, type UsageStore } from './usage-store.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/** A UUIDv7 of a time; `ordinal` keeps those of one millisecond apart. */
function idAt(ms: number, ordinal: number): string {
  const time = ms.toString(16).padStart(12, '0')
  const tail = (Math.floor(Math.random() * 2 ** 40) + ordinal).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${tail}`
}

const replaceBigints = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)

interface Call {
  readonly at: number
  readonly model: string
  readonly charge: bigint
  readonly tokens: number
  readonly status?: UsageFacts['status']
}

describeEachEngine('usage', (engine) => {
  let open: TestDatabase
  let store: UsageStore
  beforeAll(async () => {
    open = await openTestDatabase(engine)
    store = createUsageStore(open.database, 3)
  })
  afterAll(() => open.close())

  const apply = (operations: readonly LedgerOperation[]) => createLedgerEngine(open.database).apply(operations)

  /** Makes a key that has made these calls, each answered within its millisecond. */
  async function seedCalls(calls: readonly Call[]): Promise<SeededCaller & { readonly ids: readonly string[] }> {
    const caller = await seedCaller(open.database)
    const ids = calls.map((call, ordinal) => idAt(call.at, ordinal))
    await apply([grant(caller.accountId, 10n ** 15n)])
    await apply(
      calls.flatMap(({ at, model, charge, tokens, status = 'ok' }, index) => {
        const holdId = ids[index] ?? ''
        const facts = { ...DELIVERED, status, promptTokens: tokens, completionTokens: 2 * tokens }
        return [
          placeHold(caller, { holdId, model, fixed: charge, now: at }),
          capture(holdId, charge, { facts, now: at }),
        ]
      }),
    )
    return { ...caller, ids }
  }

  async function pageOf(caller: SeededCaller, query: Record<string, string> = {}) {
    const reply = await listUsage({ store }, caller, usageQuery.parse(query))
    return usageList.parse(JSON.parse(JSON.stringify(reply)))
  }

  describe('a list', () => {
    const calls = [0, 1, 2, 3, 4].map((hour) => ({
      at: TEST_NOW + hour * HOUR_MS,
      model: hour % 2 === 0 ? 'svc-gpt' : 'svc-llama',
      charge: BigInt(hour + 1) * 1_000_000_000n,
      tokens: 10 * (hour + 1),
    }))

    test('comes newest first, page by page, with the totals of everything', async () => {
      const caller = await seedCalls(calls)
      const first = await pageOf(caller, { limit: '2' })
      expect(first.data.map((record) => record.id)).toEqual([caller.ids[4], caller.ids[3]])
      expect(first).toMatchObject({ has_more: true, first_id: caller.ids[4], last_id: caller.ids[3] })
      expect(first.totals).toEqual({ requests: 5, credits_charged: 15, prompt_tokens: 150, completion_tokens: 300 })
      const second = await pageOf(caller, { limit: '3', after: first.last_id ?? '' })
      expect(second.data.map((record) => record.id)).toEqual([caller.ids[2], caller.ids[1], caller.ids[0]])
      expect(second.has_more).toBe(false)
      expect(second.totals).toEqual(first.totals)
    })

    test('is narrowed by model, type and time', async () => {
      const caller = await seedCalls(calls)
      expect((await pageOf(caller, { model: 'svc-llama' })).totals).toMatchObject({ requests: 2, credits_charged: 6 })
      expect((await pageOf(caller, { type: 'image' })).data).toEqual([])
      const from = String((TEST_NOW + HOUR_MS) / 1_000)
      const to = new Date(TEST_NOW + 3 * HOUR_MS).toISOString()
      const page = await pageOf(caller, { from, to })
      expect(page.data.map((record) => record.id)).toEqual([caller.ids[2], caller.ids[1]])
      expect(page.totals).toMatchObject({ requests: 2, credits_charged: 5 })
    })

    test('is narrowed by what became of the requests, its totals too', async () => {
      const caller = await seedCalls(
        calls.map((call, index) => (index < 2 ? { ...call, status: 'incomplete' as const } : call)),
      )
      const page = await pageOf(caller, { status: 'incomplete', limit: '1' })
      expect(page.data.map(({ id, status }) => [id, status])).toEqual([[caller.ids[1], 'incomplete']])
      expect([page.has_more, page.totals]).toMatchObject([true, { requests: 2, credits_charged: 3 }])
      expect((await pageOf(caller, { status: 'cancelled' })).data).toEqual([])
      expect(usageQuery.safeParse({ status: 'broken' }).success).toBe(false)
    })

    test('is of the key in use only, whatever else is asked for', async () => {
      const caller = await seedCalls(calls.slice(0, 1))
      const other = await seedCalls(calls)
      const page = await pageOf(caller, { key: other.keyId, team_id: other.teamId, account: other.accountId })
      expect(page.data.map((record) => record.id)).toEqual(caller.ids)
      expect(page.totals.requests).toBe(1)
    })

    test('is the same in steps of any size', async () => {
      const many = Array.from({ length: 4 }, (_value, day) =>
        calls.map((call) => ({ ...call, at: call.at + day * DAY_MS })),
      )
      const caller = await seedCalls(many.flat())
      const scopes = [
        { keyId: caller.keyId },
        { accountId: caller.accountId, teamId: caller.teamId, createdBy: null, onlyKey: caller.keyId },
      ]
      const [first, last] = [TEST_NOW + HOUR_MS, TEST_NOW + 3 * DAY_MS + HOUR_MS]
      const spans = [null, first].flatMap((from) => [null, last].map((to) => ({ from, to })))
      const read = async (rows: number | null): Promise<unknown> => {
        const some = createUsageStore(open.database, rows)
        const lists = scopes.flatMap((scope) =>
          [{}, { model: 'svc-llama' }, { model: 'none' }, { type: 'chat' }].flatMap((more) =>
            spans.map(async (span) => [
              await some.list({ scope, ...more }, span, { after: caller.ids[17] ?? '', limit: 7 }),
              await some.list({ scope, ...more }, span, { after: null, limit: 100 }),
              await some.sumRecords({ scope, ...more }, span),
              await some.sumDays({ scope, ...more }, span.from === null ? null : Math.ceil(span.from / DAY_MS), null),
              await some.listDays({ scope, ...more }, { first: 0, last: Math.floor(last / DAY_MS), by: 'model' }),
            ]),
          ),
        )
        return Promise.all(lists)
      }
      const whole = await read(null)
      expect(JSON.stringify(whole, replaceBigints)).toContain('svc-llama')
      for (const rows of [1, 3, 1_000]) expect(await read(rows)).toEqual(whole)
    })

    test('of nothing has no ids', async () => {
      const page = await pageOf(await seedCaller(open.database))
      expect(page).toMatchObject({ data: [], first_id: null, last_id: null, has_more: false, totals: { requests: 0 } })
    })

    test('that ends before it begins is refused', async () => {
      const query = usageQuery.parse({ from: '2026-05-02', to: '2026-05-01' })
      const refused = listUsage({ store }, await seedCaller(open.database), query)
      await expect(refused).rejects.toMatchObject({ code: 'invalid_value', param: 'to' })
    })

    test('counts a request that ran over midnight on the day on which it began', async () => {
      const caller = await seedCaller(open.database)
      const midnight = TEST_NOW - (TEST_NOW % DAY_MS) + DAY_MS
      const hold = placeHold(caller, { holdId: idAt(midnight - 5, 0), fixed: 9n, now: midnight - 5 })
      await apply([grant(caller.accountId, 9n), hold, capture(hold.holdId, 9n, { now: midnight + 5 })])
      const yesterday = await pageOf(caller, { to: new Date(midnight).toISOString() })
      const today = await pageOf(caller, { from: new Date(midnight).toISOString() })
      expect([yesterday.data.length, yesterday.totals.requests]).toEqual([1, 1])
      expect([today.data.length, today.totals.requests]).toEqual([0, 0])
    })

    test('has totals that are the sums of its records, for random spans over five days', async () => {
      const seed = Number(process.env['TEST_SEED'] ?? Date.now()) % 2_147_483_647
      console.info(`seed ${seed}`)
      let state = seed
      const random = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below
      const start = TEST_NOW - (TEST_NOW % DAY_MS)
      const many = Array.from({ length: 120 }, () => ({
        at: start + random(5 * DAY_MS),
        model: `model-${random(3)}`,
        charge: BigInt(random(1_000_000_000)),
        tokens: random(1_000),
      }))
      const caller = await seedCalls(many)
      for (let round = 0; round < 10; round++) {
        const [from, to] = [start + random(5 * DAY_MS), start + random(6 * DAY_MS)].toSorted((a, b) => a - b)
        if (from === undefined || to === undefined || from === to) continue
        const model = random(2) === 0 ? null : `model-${random(3)}`
        const times = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
        const page = await pageOf(caller, { limit: '200', ...times, ...(model === null ? {} : { model }) })
        const chosen = many.filter(
          (call) => call.at >= from && call.at < to && (model === null || call.model === model),
        )
        const charge = chosen.reduce((sum, call) => sum + call.charge, 0n)
        const tokens = chosen.reduce((sum, call) => sum + call.tokens, 0)
        expect(page.data).toHaveLength(chosen.length)
        expect(page.totals).toEqual({
          requests: chosen.length,
          credits_charged: Number(charge) / 1e9,
          prompt_tokens: tokens,
          completion_tokens: 2 * tokens,
        })
      }
    })
  })

  describe('one request', () => {
    async function replyOf(caller: SeededCaller, requestId: string) {
      return usageReply.parse(JSON.parse(JSON.stringify(await readUsage({ store }, caller, requestId))))
    }

    test('is pending while its hold is open, and then final with what explains its charge', async () => {
      const caller = await seedCaller(open.database)
      const hold = placeHold(caller, { fixed: 1_500_000_000n, stream: true })
      await apply([grant(caller.accountId, 10n ** 12n), hold])
      expect(await replyOf(caller, hold.holdId)).toEqual({
        id: hold.holdId,
        object: 'usage.record',
        state: 'pending',
        request_id: hold.holdId,
        created: TEST_NOW / 1_000,
        type: 'chat',
        model: 'svc-test',
        stream: true,
        credits_reserved: 1.5,
        job_id: null,
      })
      const pricing = '{"basis":"card","input":"0.05","prompt_tokens":10}'
      await apply([capture(hold.holdId, 500_000_000n, { facts: { ...DELIVERED, pricing }, now: TEST_NOW + 900 })])
      expect(await replyOf(caller, hold.holdId.toUpperCase())).toMatchObject({
        state: 'final',
        created: TEST_NOW / 1_000,
        status: 'ok',
        stream: true,
        credits_charged: 0.5,
        margin_bps: 2_000,
        basis: 'card',
        estimated: false,
        pricing: { basis: 'card', input: '0.05', prompt_tokens: 10 },
        total_tokens: 30,
        units: null,
      })
    })

    test('that failed is final and free', async () => {
      const caller = await seedCaller(open.database)
      const hold = placeHold(caller, { fixed: 5n })
      await apply([grant(caller.accountId, 10n), hold, release(hold.holdId)])
      expect(await replyOf(caller, hold.holdId)).toMatchObject({
        state: 'final',
        status: 'error',
        error_code: 'upstream_error',
        credits_charged: 0,
        basis: null,
        pricing: null,
        total_tokens: null,
      })
    })

    test('of another key or of none is not found', async () => {
      const caller = await seedCaller(open.database)
      const other = await seedCalls([{ at: TEST_NOW, model: 'm', charge: 1n, tokens: 1 }])
      const pending = placeHold(other)
      await apply([pending])
      for (const id of [other.ids[0] ?? '', pending.holdId, 'nonsense', '']) {
        await expect(readUsage({ store }, caller, id)).rejects.toMatchObject({ code: 'usage_not_found', status: 404 })
      }
    })
  })
})
