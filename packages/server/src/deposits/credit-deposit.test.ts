import { afterAll, beforeAll, expect, test } from 'vitest'
import { TEST_NOW } from '../../testing/ledger-operations.ts'
import { hexOf, seedOnceLinkedWallet, seedReadyDeposit, seenDeposit } from '../../testing/seed-deposit.ts'
import { describeEachEngine } from '../../testing/test-database.ts'
import { assertSound, openTestLedger, type TestLedger } from '../../testing/test-ledger.ts'
import { createLedgerEngine } from '../money/ledger/create-ledger-engine.ts'
import { Ledger } from '../money/ledger/ledger.ts'
import { creditDeposit } from './credit-deposit.ts'
import { createDepositStore } from './deposit-store.ts'
import { OPEN_STATES, type Deposit } from './deposit.ts'
import type { SeenDeposit } from './record-statement.ts'

describeEachEngine('crediting a deposit', (engine) => {
  let money: TestLedger
  let txHashes = 0x40
  const clock = { now: () => TEST_NOW }
  beforeAll(async () => {
    money = await openTestLedger(engine)
  })
  afterAll(async () => {
    await assertSound(money, TEST_NOW)
    await money.close()
  })

  const seedPaid = async (seen: SeenDeposit): Promise<Deposit> => {
    await seedOnceLinkedWallet(money.test.database, seen)
    return seedReadyDeposit(money.test.database, seen)
  }

  // B132: credit and mark are one transaction, so no failure can come between them.
  test('200 credits of one deposit from several processes at once are one', async () => {
    const { accountId } = await money.createCaller(0n)
    const { database } = money.test
    const deposit = await seedPaid(seenDeposit(accountId, { txHash: hexOf(1, 32) }))
    const others = await Promise.all([money.test.openAgain(), money.test.openAgain()])
    const ledgers = [money.ledger, ...others.map((other) => new Ledger({ engine: createLedgerEngine(other) }))]
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, at) =>
        creditDeposit({ ledger: ledgers[at % ledgers.length]!, clock }, deposit, null),
      ),
    )
    expect(results.filter((result) => result.kind === 'deposited' && !result.isRepeated)).toHaveLength(1)
    expect(results.every((result) => result.kind === 'deposited')).toBe(true)
    expect(await money.findBalance(accountId)).toEqual({ posted: 25_000_000_000_000n, held: 0n })
    const after = await createDepositStore(database).find(deposit.depositId)
    expect(after).toMatchObject({ state: 'credited', creditedAt: TEST_NOW, reason: null })
  })

  test.each([
    ['as it was', {}, true],
    ['with another amount', { amount: 9_000_000_000_000n }, false],
    ['in another block', { blockHash: hexOf(0xbc, 32) }, false],
  ] as const)('an operator’s word for a deposit is for that one alone: it comes again %s', async (...it) => {
    const [, change, isReleased] = it
    const { accountId } = await money.createCaller(0n)
    const { database } = money.test
    const store = createDepositStore(database)
    const seen = seenDeposit(accountId, { txHash: hexOf(txHashes++, 32) })
    const deposit = await seedReadyDeposit(database, seen)
    await store.change(deposit, ['confirming'], { releasedAt: 5 }, 5)
    await store.change(deposit, ['confirming'], { state: 'reversed', reason: 'reorg' }, 6)
    await store.record([{ ...seen, ...change }], 7)
    const { state, releasedAt } = (await store.find(deposit.depositId)) as Deposit
    expect([state, releasedAt]).toEqual(['seen', isReleased ? 5 : null])
  })

  test('a deposit whose block has changed since it was verified is not credited', async () => {
    const { accountId } = await money.createCaller(0n)
    const { database } = money.test
    const seen = seenDeposit(accountId, { txHash: hexOf(2, 32) })
    const deposit = await seedReadyDeposit(database, seen)
    await createDepositStore(database).record([{ ...seen, blockHash: hexOf(3, 32) }], 3)
    expect(await creditDeposit({ ledger: money.ledger, clock }, deposit, null)).toEqual({
      kind: 'not_creditable',
      state: 'seen',
    })
    expect(await money.findBalance(accountId)).toEqual({ posted: 0n, held: 0n })
  })

  test('a worth that was found for another amount is never noted, and so never credited', async () => {
    const { accountId } = await money.createCaller(0n)
    const store = createDepositStore(money.test.database)
    const seen = seenDeposit(accountId, { txHash: hexOf(8, 32) })
    const read = await seedReadyDeposit(money.test.database, seen)
    // Another look reads another amount in the same block, before this one has come to an end.
    await store.record([{ ...seen, amount: 1n }], 3)
    expect(await store.change(read, OPEN_STATES, { state: 'confirming', credits: read.credits }, 4)).toBe(false)
    expect(await creditDeposit({ ledger: money.ledger, clock }, read, null)).toMatchObject({ kind: 'not_creditable' })
    expect(await store.find(read.depositId)).toMatchObject({ amount: 1n, credits: null })
  })

  test('a deposit that an operator holds back is not credited', async () => {
    const { accountId } = await money.createCaller(0n)
    const store = createDepositStore(money.test.database)
    const deposit = await seedReadyDeposit(money.test.database, seenDeposit(accountId, { txHash: hexOf(4, 32) }))
    expect(await store.change(deposit, ['confirming'], { state: 'under_review', reason: 'under_review' }, 3)).toBe(true)
    expect(await creditDeposit({ ledger: money.ledger, clock }, deposit, null)).toMatchObject({
      kind: 'not_creditable',
    })
  })

  test('an unrecorded deposit is unknown, and one operation beside it goes on', async () => {
    const { accountId } = await money.createCaller(7n)
    const known = await seedPaid(seenDeposit(accountId, { txHash: hexOf(5, 32) }))
    const unknown = { ...known, ordinal: 'log:9' }
    const results = await Promise.all([
      creditDeposit({ ledger: money.ledger, clock }, unknown, null),
      creditDeposit({ ledger: money.ledger, clock }, known, null),
    ])
    expect(results).toMatchObject([{ kind: 'unknown_deposit' }, { kind: 'deposited', isRepeated: false }])
    expect(await money.findBalance(accountId)).toEqual({ posted: 25_000_000_000_007n, held: 0n })
  })

  test('a credited deposit can be neither changed nor deleted', async () => {
    const { accountId } = await money.createCaller(0n)
    const { database } = money.test
    const deposit = await seedPaid(seenDeposit(accountId, { txHash: hexOf(6, 32) }))
    await creditDeposit({ ledger: money.ledger, clock }, deposit, null)
    const store = createDepositStore(database)
    await store.record([{ ...deposit, amount: 1n, blockHash: hexOf(7, 32) }], 9)
    expect(await store.change(deposit, ['confirming', 'seen'], { state: 'reversed' }, 9)).toBe(false)
    expect(await store.find(deposit.depositId)).toMatchObject({ state: 'credited', amount: 25_000_000n })
    const { read } = database
    await expect(
      database.write([read.updateTable('deposit').set({ note: 'x' }).where('state', '=', 'credited').compile()]),
    ).rejects.toThrow('never changed')
    await expect(database.write([read.deleteFrom('deposit').compile()])).rejects.toThrow('never')
  })
})
