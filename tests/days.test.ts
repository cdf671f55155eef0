/** Days are days in UTC, wherever the gateway runs and however its clock is off. */
import { usageList } from '@svc/contract'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startStubUpstream, type StubUpstream } from '../packages/server/testing/stub-upstream.ts'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { cardOf } from './charge-of.ts'
import { QUESTION } from './events-of.ts'

const CHARGE = cardOf(10, 5)
const DAY_MS = 86_400_000
const NOON = Date.UTC(2026, 4, 14, 12)

// B181
describeEachEngine('days', (engine) => {
  const ownZone = process.env['TZ']
  let stub: StubUpstream
  let clock: { time: number; now: () => number }
  let gateway: TestGateway

  beforeEach(async () => {
    stub = await startStubUpstream()
    clock = { time: NOON, now: () => clock.time }
  })

  afterEach(async () => {
    await gateway.stop()
    await stub.close()
    if (ownZone === undefined) delete process.env['TZ']
    else process.env['TZ'] = ownZone
  })

  /** Asks once at a time. */
  async function askAt(time: number): Promise<void> {
    clock.time = time
    const response = await gateway.chat({ ...QUESTION, max_tokens: 10 })
    expect([response.status, await response.text()]).toEqual([
      200,
      expect.stringContaining('"credits_charged":0.00042,'),
    ])
  }

  /** Requests and nanocredits between two times. */
  async function totalsOf(from: number, to: number): Promise<readonly [number, bigint]> {
    const range = `from=${from / 1000}&to=${to / 1000}`
    const { totals } = usageList.parse(await (await gateway.fetch(`/v1/usage?${range}`)).json())
    return [totals.requests, BigInt(Math.round(totals.credits_charged * 1e9))]
  }

  test.each(['Asia/Kolkata', 'Pacific/Kiritimati', 'America/St_Johns'])(
    'in %s a day begins at midnight UTC, and the days sum up to the month',
    async (zone) => {
      process.env['TZ'] = zone
      expect(new Date(NOON).getHours()).not.toBe(12)
      gateway = await startTestGateway({ engine, upstreamUrl: stub.url, clock })
      const midnight = Date.UTC(2026, 4, 15)
      await askAt(midnight - 1_800_000)
      await askAt(midnight + 1_800_000)
      await askAt(midnight + DAY_MS - 1)
      await gateway.settled()
      const days = [-1, 0, 1].map((day) => totalsOf(midnight + day * DAY_MS, midnight + (day + 1) * DAY_MS))
      expect(await Promise.all(days)).toEqual([
        [1, CHARGE],
        [2, CHARGE * 2n],
        [0, 0n],
      ])
      expect(await totalsOf(Date.UTC(2026, 4, 1), Date.UTC(2026, 5, 1))).toEqual([3, CHARGE * 3n])
      // A time that names no zone is in UTC, too.
      const named = await gateway.fetch('/v1/usage?from=2026-05-15T00:00:00&to=2026-05-16T00:00')
      expect(usageList.parse(await named.json()).totals.requests).toBe(2)
      const rows = await gateway.gateway.database.read.selectFrom('usage_daily').selectAll().execute()
      expect(rows).toHaveLength(2)
    },
  )

  test('a clock that is five minutes off, or is set back, changes no charge', async () => {
    gateway = await startTestGateway({ engine, upstreamUrl: stub.url, clock })
    const before = await gateway.balance()
    for (const minutes of [0, 5, -5, 0]) await askAt(NOON + minutes * 60_000)
    await gateway.settled()
    const after = await gateway.balance()
    expect(before.posted - after.posted).toBe(CHARGE * 4n)
    expect(await totalsOf(NOON - DAY_MS, NOON + DAY_MS)).toEqual([4, CHARGE * 4n])
  })
})
