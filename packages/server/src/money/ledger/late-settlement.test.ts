import { afterEach, beforeEach, expect, test } from 'vitest'
import { nanocreditsOf } from '@svc/contract'
import { capture, DELIVERED, placeHold, release, TEST_NOW } from '../../../testing/ledger-operations.ts'
import type { SeededCaller } from '../../../testing/seed-caller.ts'
import { assertSound, openTestLedger, type TestLedger } from '../../../testing/test-ledger.ts'
import { describeEachEngine } from '../../../testing/test-database.ts'
import type { OnLate } from './ledger.ts'
import type { PlacedHold, SettleHold } from './operations.ts'

describeEachEngine('a settlement whose hold the database has lost', (engine) => {
  let money: TestLedger
  let caller: SeededCaller
  let told: Parameters<OnLate>[]
  beforeEach(async () => {
    told = []
    money = await openTestLedger(engine, { onLate: (...late) => void told.push(late) })
    caller = await money.createCaller(1_000n, { keyLimit: 5_000n, teamLimit: 5_000n })
  })
  afterEach(() => money.close())

  const placedFor = ({ accountId, keyId }: SeededCaller): PlacedHold => ({
    ...{ accountId, keyId, processId: 'process-1', type: 'chat', model: 'svc-test', stream: true },
    placedAt: TEST_NOW,
  })
  const settlement = (charge: bigint, parts: Partial<SettleHold> = {}): SettleHold =>
    capture('lost', charge, { placed: placedFor(caller), ...parts })
  const spentOf = async (): Promise<bigint[]> =>
    (await money.test.database.read.selectFrom('budget_window').select('spent').execute()).map(({ spent }) => spent)

  test('is charged once, from what is available, and counts in both budgets', async () => {
    const settle = settlement(300n)
    const late = { kind: 'settled', charge: 300n, writeOff: 0n, isLate: true }
    expect(await money.ledger.submit(settle)).toEqual(late)
    expect(await money.ledger.submit(settle)).toEqual({ kind: 'already_settled', charge: 300n })
    expect(await money.findBalance(caller.accountId)).toEqual({ posted: 700n, held: 0n })
    expect(await spentOf()).toEqual([300n, 300n])
    const record = await money.test.database.read.selectFrom('usage_record').selectAll().executeTakeFirstOrThrow()
    expect(record).toMatchObject({ usage_id: 'lost', charge: 300n, model: 'svc-test', team_id: caller.teamId })
    expect(record.started_at).toBe(TEST_NOW)
    expect(told).toEqual([[settle, late]])
    await assertSound(money, TEST_NOW)
  })

  test('sent three times at once is one charge', async () => {
    const results = await Promise.all([1, 2, 3].map(() => money.ledger.submit(settlement(300n))))
    expect(results.map(({ kind }) => kind).toSorted()).toEqual(['already_settled', 'already_settled', 'settled'])
    expect(await money.findBalance(caller.accountId)).toEqual({ posted: 700n, held: 0n })
  })

  test('leaves what other holds keep back, and writes the rest off', async () => {
    await money.ledger.submit(placeHold(caller, { fixed: 900n }))
    expect(await money.ledger.submit(settlement(300n))).toMatchObject({ charge: 100n, writeOff: 200n, isLate: true })
    expect(await money.findBalance(caller.accountId)).toEqual({ posted: 900n, held: 900n })
    await assertSound(money, TEST_NOW)
  })

  test('of an account without credits is a write-off whole', async () => {
    caller = await money.createCaller(0n)
    expect(await money.ledger.submit(settlement(300n))).toMatchObject({ charge: 0n, writeOff: 300n })
    await assertSound(money, TEST_NOW)
  })

  test('whose row was deleted under it never lowers what is held', async () => {
    const hold = placeHold(caller, { holdId: 'lost', fixed: 400n })
    await money.ledger.submit(hold)
    const { database } = money.test
    await database.write([database.read.deleteFrom('hold').where('hold_id', '=', 'lost').compile()])
    // A batch that placed it may still know the row: only the database's own word counts.
    expect(await money.ledger.submit(settlement(300n))).toMatchObject({ charge: 300n, isLate: true })
    expect(await money.findBalance(caller.accountId)).toEqual({ posted: 700n, held: 400n })
  })

  test('that has nothing to charge changes nothing, and is no error', async () => {
    const nothing = release('lost', { placed: placedFor(caller) })
    expect(await money.ledger.submit(nothing)).toEqual({ kind: 'already_settled', charge: 0n })
    const extend = { kind: 'extend', holdId: 'lost', fixed: nanocreditsOf(1n), perUnit: nanocreditsOf(1n) } as const
    expect(await money.ledger.submit({ ...extend, targetUnits: 5, now: TEST_NOW })).toEqual({
      ...{ kind: 'refused', reason: 'hold_ended' },
    })
    expect(told).toEqual([])
    await assertSound(money, TEST_NOW)
  })

  test('that failed at a cost is written off', async () => {
    const cost = { cost: nanocreditsOf(50n), lost: nanocreditsOf(50n) }
    const failed = release('lost', { placed: placedFor(caller), ...cost })
    expect(await money.ledger.submit(failed)).toMatchObject({ kind: 'settled', charge: 0n, writeOff: 50n })
    await assertSound(money, TEST_NOW)
  })

  test('of a delivered answer that costs nothing is recorded', async () => {
    expect(await money.ledger.submit(settlement(0n, { facts: DELIVERED }))).toMatchObject({ kind: 'settled' })
    expect(await money.test.database.read.selectFrom('usage_record').select('usage_id').execute()).toHaveLength(1)
  })

  test.each(['accountId', 'keyId'] as const)('and whose %s is gone, too, is lost and reported', async (gone) => {
    const settle = settlement(300n, { placed: { ...placedFor(caller), [gone]: 'gone' } })
    expect(await money.ledger.submit(settle)).toEqual({ kind: 'unknown_caller', charge: 0n })
    expect(told).toHaveLength(1)
    await assertSound(money, TEST_NOW)
  })
})
