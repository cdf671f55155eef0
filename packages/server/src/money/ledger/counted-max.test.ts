/** What a key has spent in all is counted for good: it must never become more than a row can hold. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { capture, DELIVERED, grant, placeHold, TEST_NOW } from '../../../testing/ledger-operations.ts'
import { describeEachEngine } from '../../../testing/test-database.ts'
import { assertSound, openTestLedger, type TestLedger } from '../../../testing/test-ledger.ts'
import { COUNTED_MAX } from './hold-size.ts'

/** The largest that one operation moves. */
const MOST = 10n ** 18n

describeEachEngine('a key without a budget', (engine) => {
  let money: TestLedger
  beforeAll(async () => {
    money = await openTestLedger(engine)
  })
  afterAll(async () => {
    await assertSound(money, TEST_NOW)
    await money.close()
  })

  test('that has spent all that can be counted begins nothing more, and all that it began is settled', async () => {
    const caller = await money.createCaller(0n)
    const facts = { ...DELIVERED, promptTokens: 1_000_000_000 }
    let spent = 0n
    for (; spent < COUNTED_MAX; spent += MOST) {
      await money.ledger.submit(grant(caller.accountId, MOST))
      // Another time of the day each: the totals of a day are counted apart.
      const hold = placeHold(caller, { fixed: MOST, now: TEST_NOW - Number(spent / MOST) * 86_400_000 })
      expect(await money.ledger.submit(hold)).toMatchObject({ kind: 'placed', amount: MOST })
      const settled = await money.ledger.submit(capture(hold.holdId, MOST, { facts, now: hold.now }))
      expect(settled).toMatchObject({ kind: 'settled', charge: MOST, writeOff: 0n })
    }
    await money.ledger.submit(grant(caller.accountId, MOST))
    expect(await money.ledger.submit(placeHold(caller, { fixed: 1n }))).toMatchObject({
      ...{ kind: 'insufficient', limit: 'key', available: 0n },
    })
  })

  test('whose last request costs more than its hold is charged what can still be counted', async () => {
    const caller = await money.createCaller(0n)
    const facts = { ...DELIVERED, promptTokens: 1_000_000_000 }
    const charge = async (amount: bigint, held: bigint, day: number) => {
      await money.ledger.submit(grant(caller.accountId, MOST))
      const hold = placeHold(caller, { fixed: held, now: TEST_NOW - day * 86_400_000 })
      await money.ledger.submit(hold)
      return money.ledger.submit(capture(hold.holdId, amount, { facts, now: hold.now }))
    }
    for (let day = 1; day < 8; day++) await charge(MOST, MOST, day)
    expect(await charge(MOST / 2n, MOST / 2n, 8)).toMatchObject({ kind: 'settled', writeOff: 0n })
    expect(await charge(MOST, 5n, 9)).toMatchObject({ kind: 'settled', charge: MOST / 2n, writeOff: MOST / 2n })
  })
})
