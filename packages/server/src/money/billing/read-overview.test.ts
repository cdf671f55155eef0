/** The operator's overview, against sums of the records themselves. */
import { formatCredits } from '@svc/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { capture, DELIVERED, FAILED, grant, placeHold, release } from '../../../testing/ledger-operations.ts'
import { seedCaller } from '../../../testing/seed-caller.ts'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../../testing/test-database.ts'
import { createId } from '../../platform/runtime/ids.ts'
import { createLedgerEngine } from '../ledger/create-ledger-engine.ts'
import { Ledger } from '../ledger/ledger.ts'
import { nanocreditsOf } from '@svc/contract'
import { readOverview } from './read-overview.ts'

const DAY_MS = 86_400_000
const FIRST = Date.UTC(2026, 4, 14)

describeEachEngine('an overview', (engine) => {
  let open: TestDatabase
  let ledger: Ledger
  beforeAll(async () => {
    open = await openTestDatabase(engine)
    ledger = new Ledger({ engine: createLedgerEngine(open.database) })
  })
  afterAll(async () => {
    await ledger.close()
    await open.close()
  })

  test('adds up what was charged, what it cost and what was written off, exactly', async () => {
    const [one, two] = [await seedCaller(open.database), await seedCaller(open.database)]
    const large = 900_000_000_000_000_000n
    for (const { accountId } of [one, two]) {
      for (let at = 0; at < 4; at++) await ledger.submit(grant(accountId, large))
    }
    const ask = async (caller: typeof one, at: number, charge: bigint | null, upstream: string): Promise<void> => {
      const holdId = createId(at)
      await ledger.submit(placeHold(caller, { holdId, fixed: charge ?? 5n, model: `m-${upstream}`, now: at }))
      const facts = { ...(charge === null ? FAILED : DELIVERED), upstream }
      await ledger.submit(
        charge === null
          ? release(holdId, { facts, cost: nanocreditsOf(7n), lost: nanocreditsOf(7n), now: at })
          : capture(holdId, charge, { facts, now: at }),
      )
    }
    await ask(one, FIRST, large, 'a')
    await ask(one, FIRST + 1_000, large, 'a')
    await ask(two, FIRST + DAY_MS, 600n, 'b')
    await ask(two, FIRST + DAY_MS + 5, null, 'b')
    await ask(two, FIRST + 2 * DAY_MS, 1n, 'b')
    const overview = await readOverview(open.database, { from: FIRST, to: FIRST + 2 * DAY_MS })
    const sums = ({ name, requests, failed, charge, cost, writeOff }: (typeof overview)['total']) =>
      [name, requests, failed, ...[charge, cost, writeOff].map(formatCredits)].join(' ')
    const cost = (large * 5n) / 6n
    const both = formatCredits(large * 2n)
    const bothCost = formatCredits(cost * 2n)
    expect(sums(overview.total)).toBe(
      `all 4 1 ${formatCredits(large * 2n + 600n)} ${formatCredits(cost * 2n + 507n)} 0.000000007`,
    )
    const little = '2 1 0.0000006 0.000000507 0.000000007'
    expect(overview.days.map(sums)).toEqual([`2026-05-14 2 0 ${both} ${bothCost} 0`, `2026-05-15 ${little}`])
    expect(overview.upstreams.map(sums)).toEqual([`a 2 0 ${both} ${bothCost} 0`, `b ${little}`])
    expect(overview.models.map(({ name }) => name)).toEqual(['m-a', 'm-b'])
    expect(overview.accounts.map(({ name }) => name)).toEqual([one.accountId, two.accountId])
    expect(overview.errors.map(sums)).toEqual(['upstream_error 1 1 0 0.000000007 0.000000007'])
  })

  test('of a span without a request is all zero', async () => {
    const { total, days } = await readOverview(open.database, { from: 0, to: DAY_MS })
    expect([total.requests, total.charge, days]).toEqual([0, 0n, []])
  })
})
