/**
 * A row of one account is locked by another session of PostgreSQL: an operation that does not need it does not wait for
 * it.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { capture, grant, placeHold, TEST_NOW } from '../../../testing/ledger-operations.ts'
import { openPostgresSession, type PostgresSession } from '../../../testing/postgres-session.ts'
import type { SeededCaller } from '../../../testing/seed-caller.ts'
import { findPostgres } from '../../../testing/test-database.ts'
import type { PlaceHold } from './operations.ts'
import { assertSound, openTestLedger, type TestLedger } from '../../../testing/test-ledger.ts'

describe.skipIf(findPostgres() === null)('a ledger of which another session has locked a row', () => {
  let money: TestLedger
  let other: PostgresSession
  let sick: SeededCaller
  let callers: readonly SeededCaller[]
  beforeEach(async () => {
    money = await openTestLedger('postgres')
    const made = await Promise.all(
      Array.from({ length: 6 }, () => money.createCaller(10_000n, { keyLimit: 9_000n, teamLimit: 9_000n })),
    )
    ;[sick = (made[0] as SeededCaller), ...callers] = made
    other = await openPostgresSession(money.test.url ?? '')
    await other.query('begin')
  })
  afterEach(async () => {
    await other.close()
    await money.close()
  })

  const within = async (ms: number, work: Promise<unknown>): Promise<void> => {
    const startedAt = performance.now()
    await work
    expect(performance.now() - startedAt).toBeLessThan(ms)
  }

  test.each([
    [
      'its balance',
      (caller: SeededCaller) => `select from balance where account_id = '${caller.accountId}' for update`,
    ],
    ['its budget', (caller: SeededCaller) => `select from budget where budget_id = '${caller.keyBudgetId}' for update`],
    ['itself', (caller: SeededCaller) => `select from account where account_id = '${caller.accountId}' for update`],
    ['its key', (caller: SeededCaller) => `select from api_key where key_id = '${caller.keyId}' for update`],
  ])('serves all other accounts while one has %s locked', async (_what, lock) => {
    await other.query(lock(sick))
    const stuck = money.ledger.submit(placeHold(sick, { fixed: 10n })).then((result) => result.kind)
    const holds = callers.map((caller) => placeHold(caller, { fixed: 10n }))
    await within(3_000, Promise.all(holds.map((hold) => money.ledger.submit(hold))))
    // By now it is known whom to wait for: no other account pays for it.
    const late = money.ledger.submit(placeHold(sick, { fixed: 10n })).then((result) => result.kind)
    const ends = holds.map((hold) => money.ledger.submit(capture(hold.holdId, 7n)))
    await within(700, Promise.all(ends))
    await other.query('rollback')
    expect(await Promise.all([stuck, late])).toEqual(['placed', 'placed'])
    await assertSound(money, TEST_NOW)
  })

  test.each([
    ['the total of its day', (caller: SeededCaller) => `usage_daily where key_id = '${caller.keyId}'`],
    // Which row it is no question tells: a session that has a budget's row has its periods, as long as the ledger is
    // alone.
    ['a period of its budget', (caller: SeededCaller) => `budget_window where budget_id = '${caller.keyBudgetId}'`],
  ])('settles for all other accounts while one has %s locked', async (_what, row) => {
    const holdsOf = async (each: readonly SeededCaller[]) => {
      const holds = each.map((caller) => placeHold(caller, { fixed: 10n }))
      await Promise.all(holds.map((hold) => money.ledger.submit(hold)))
      return holds
    }
    const settle = (hold: PlaceHold) => {
      const { holdId, accountId, keyId, processId, type, model, stream, now: placedAt } = hold
      const placed = { accountId, keyId, processId, type, model, stream, placedAt }
      return money.ledger.submit(capture(holdId, 7n, { placed }))
    }
    await Promise.all((await holdsOf([sick, ...callers])).map(settle))
    const [held, ...holds] = await holdsOf([sick, ...callers])
    if (held === undefined) throw new Error('a hold')
    const [later = held] = await holdsOf([sick])
    await other.query(`select from ${row(sick)} for update`)
    const stuck = settle(held).then((result) => result.kind)
    await within(3_000, Promise.all(holds.map(settle)))
    const again = await holdsOf(callers)
    // By now it is known whom to wait for: no other account pays for it.
    const late = settle(later).then((result) => result.kind)
    await within(700, Promise.all(again.map(settle)))
    await other.query('rollback')
    expect(await Promise.all([stuck, late])).toEqual(['settled', 'settled'])
    await assertSound(money, TEST_NOW)
  })

  test('writes the lease and the progress of all other holds, and settles the locked one when it can', async () => {
    const [held, well] = [sick, callers[0] as SeededCaller].map((caller) => placeHold(caller, { fixed: 10n }))
    if (held === undefined || well === undefined) throw new Error('two holds')
    for (const hold of [held, well]) await money.ledger.submit(hold)
    await other.query(`select from balance where account_id = '${sick.accountId}' for update`)
    const progress = { charge: held.fixed, cost: held.perUnit, promptTokens: 1, completionTokens: 1 }
    const place = { pricing: null, upstream: null, upstreamModel: null, generationId: null }
    const entries = [held, well].map(({ holdId }) => ({ holdId, ...progress, ...place }))
    const lease = { processId: 'process-1', leaseUntil: TEST_NOW + 1 }
    await within(3_000, money.ledger.submit({ kind: 'journal', ...lease, entries, now: TEST_NOW }))
    const rows = await money.test.database.read.selectFrom('hold').select(['hold_id', 'progress']).execute()
    expect(rows.filter((row) => row.progress !== null).map((row) => row.hold_id)).toEqual([well.holdId])
    const settled = money.ledger.submit(capture(held.holdId, 5n))
    await within(3_000, money.ledger.submit(capture(well.holdId, 5n)))
    await other.query('rollback')
    expect(await settled).toMatchObject({ kind: 'settled', charge: 5n })
    await assertSound(money, TEST_NOW)
  })

  test('refuses an operation that waits too long, and takes the same operation again', async () => {
    await other.query(`select from balance where account_id = '${sick.accountId}' for update`)
    const credit = grant(sick.accountId, 5n)
    await expect(money.ledger.submit(credit)).rejects.toMatchObject({ code: 'server_is_overloaded' })
    await other.query('rollback')
    expect(await money.ledger.submit(credit)).toMatchObject({ kind: 'credited', posted: 10_005n })
  }, 20_000)
})
