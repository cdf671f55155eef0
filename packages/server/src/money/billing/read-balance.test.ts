import { afterAll, beforeAll, expect, test } from 'vitest'
import { balanceReply, NANOCREDITS_PER_CREDIT } from '@svc/contract'
import { capture, grant, placeHold, TEST_NOW } from '../../../testing/ledger-operations.ts'
import { testLimits } from '../../../testing/gateway-limits.ts'
import { seedCaller, type SeededCaller, type SeedOptions } from '../../../testing/seed-caller.ts'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../../testing/test-database.ts'
import type { Caller } from '../../access/keys/caller.ts'
import { limitsOfAccount, NO_LIMITS_SET } from '../../access/keys/request-limits.ts'
import { createLedgerEngine } from '../ledger/create-ledger-engine.ts'
import { createBalanceStore } from './balance-store.ts'
import { readBalance } from './read-balance.ts'

const CREDIT = NANOCREDITS_PER_CREDIT
const DAY_MS = 86_400_000

describeEachEngine('the balance', (engine) => {
  let open: TestDatabase
  const clock = { time: TEST_NOW, now: () => clock.time }
  beforeAll(async () => {
    open = await openTestDatabase(engine)
  })
  afterAll(() => open.close())

  function callerOf(seeded: SeededCaller): Caller {
    return {
      ...seeded,
      storesResponses: false,
      originIds: [],
      keyName: 'laptop',
      display: 'sk-svc-AbCd…wxyz',
      rights: new Set(['inference']),
      models: null,
      expiresAt: null,
      limits: {
        ...limitsOfAccount(NO_LIMITS_SET, testLimits),
        countedAs: seeded.keyId,
      },
    }
  }

  /** An account of 100 credits of which 20 are spent and 5.5 held, all through one key. */
  async function setUp(options: SeedOptions = {}) {
    const seeded = await seedCaller(open.database, options)
    const [spent, held] = [
      placeHold(seeded, { fixed: 20n * CREDIT }),
      placeHold(seeded, { fixed: (11n * CREDIT) / 2n }),
    ]
    await createLedgerEngine(open.database).apply([
      grant(seeded.accountId, 110n * CREDIT),
      grant(seeded.accountId, -10n * CREDIT, { source: 'adjustment' }),
      spent,
      capture(spent.holdId, 20n * CREDIT),
      held,
    ])
    return callerOf(seeded)
  }

  /** Reads it as a client would: as text. */
  async function textOf(caller: Caller): Promise<string> {
    return JSON.stringify(await readBalance({ store: createBalanceStore(open.database), clock }, caller))
  }

  async function bodyOf(caller: Caller) {
    return balanceReply.parse(JSON.parse(await textOf(caller)))
  }

  test('shows the account, the key, and what was bought and used', async () => {
    const caller = await setUp()
    expect(await bodyOf(caller)).toEqual({
      object: 'balance',
      credits: 80,
      credits_reserved: 5.5,
      credits_available: 74.5,
      usd: 0.08,
      credits_per_usd: 1000,
      total_credits_purchased: 100,
      total_credits_used: 20,
      key: {
        id: caller.keyId,
        name: 'laptop',
        prefix: 'sk-svc-AbCd…wxyz',
        budget_credits: null,
        budget_remaining: null,
        budget_used: 20,
        budget_reset: null,
        budget_resets_at: null,
        expires_at: null,
      },
      team_id: caller.teamId,
    })
  })

  test('what is available is the least of account, team cap and key budget, less what is held', async () => {
    const byKey = await bodyOf(await setUp({ keyLimit: 30n * CREDIT, teamLimit: 60n * CREDIT }))
    expect(byKey).toMatchObject({
      credits: 80,
      credits_available: 4.5,
      key: { budget_credits: 30, budget_remaining: 4.5 },
    })
    const byTeam = await bodyOf(await setUp({ keyLimit: 60n * CREDIT, teamLimit: 30n * CREDIT }))
    expect(byTeam).toMatchObject({ credits: 80, credits_available: 4.5, key: { budget_remaining: 34.5 } })
  })

  // Documented so: the figures are of money, and whether a request may start is another question.
  test('a suspended account keeps its figures', async () => {
    const caller = await setUp()
    const before = await bodyOf(caller)
    const { read } = open.database
    const suspend = read.updateTable('account').set({ status: 'suspended' }).where('account_id', '=', caller.accountId)
    await open.database.write([suspend.compile()])
    expect(await bodyOf(caller)).toEqual(before)
  })

  test('a budget starts anew with its period, before anything is spent in it', async () => {
    const caller = await setUp({ keyLimit: 30n * CREDIT, period: 'daily' })
    const midnight = Math.floor(TEST_NOW / DAY_MS) * DAY_MS + DAY_MS
    expect((await bodyOf(caller)).key).toMatchObject({ budget_reset: 'daily', budget_resets_at: midnight / 1_000 })
    clock.time = midnight
    expect((await bodyOf(caller)).key).toMatchObject({ budget_used: 0, budget_remaining: 30 })
    clock.time = TEST_NOW
  })

  test('prints every digit of amounts that no float can hold', async () => {
    const seeded = await seedCaller(open.database)
    await createLedgerEngine(open.database).apply([grant(seeded.accountId, 900_719_925_474_099_301n)])
    const text = await textOf(callerOf(seeded))
    expect(text).toContain('"credits":900719925.474099301,')
    expect(text).toContain('"usd":900719.925474099301,')
    expect(text).toContain('"total_credits_purchased":900719925.474099301,')
  })
})
