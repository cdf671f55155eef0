import { expect, test } from 'vitest'
import { nanocreditsOf } from '@svc/contract'
import { capture, placeHold, release, TEST_NOW } from '../../../testing/ledger-operations.ts'
import { createRandom } from '../../../testing/random.ts'
import { assertSound, openTestLedger, type TestLedger } from '../../../testing/test-ledger.ts'
import { describeEachEngine } from '../../../testing/test-database.ts'
import { createLedgerEngine } from './create-ledger-engine.ts'
import { Ledger } from './ledger.ts'

async function openSeveral(money: TestLedger, count: number): Promise<readonly Ledger[]> {
  const others = Array.from({ length: count - 1 }, async () => {
    return new Ledger({ engine: createLedgerEngine(await money.test.openAgain()) })
  })
  return [money.ledger, ...(await Promise.all(others))]
}

describeEachEngine('money at the same time', (engine) => {
  // B006: the check and the debit are one step, also across keys and processes.
  test('of 1,000 requests on a balance worth 10 exactly 10 are placed, through three processes', async () => {
    const money = await openTestLedger(engine)
    const ledgers = await openSeveral(money, 3)
    const caller = await money.createCaller(109n)
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, (_, at) => {
        const ledger = ledgers[at % ledgers.length] ?? money.ledger
        return ledger.submit(placeHold(caller, { fixed: 10n }))
      }),
    )
    expect(answers.filter((answer) => answer.kind === 'placed')).toHaveLength(10)
    expect(answers.filter((answer) => answer.kind === 'insufficient')).toHaveLength(990)
    expect(await money.findBalance(caller.accountId)).toEqual({ posted: 109n, held: 100n })
    await assertSound(money, TEST_NOW)
    await money.close()
  })

  // B007: no balance is so large that it needs no hold.
  test('a rich account is held like any other', async () => {
    const money = await openTestLedger(engine)
    const caller = await money.createCaller(1_000n)
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => money.ledger.submit(placeHold(caller, { fixed: 20n }))),
    )
    expect(answers.filter((answer) => answer.kind === 'placed')).toHaveLength(50)
    await money.close()
  })

  // B172: one order of locks, and a batch that lost a deadlock is sent again.
  test('workers that settle many accounts in any order lose no update', async () => {
    const money = await openTestLedger(engine)
    const ledgers = await openSeveral(money, engine === 'postgres' ? 6 : 2)
    const callers = await Promise.all(
      Array.from({ length: 8 }, () => money.createCaller(1_000_000n, { teamLimit: 900_000n, keyLimit: 800_000n })),
    )
    const random = createRandom()
    const one = async (ledger: Ledger): Promise<bigint> => {
      const hold = placeHold(random.pick(callers), { fixed: 100n })
      await ledger.submit(hold)
      const settled = await ledger.submit(capture(hold.holdId, BigInt(random.below(150)), { cost: nanocreditsOf(0n) }))
      return settled.charge
    }
    const charges = await Promise.all(
      Array.from({ length: 1_200 }, (_, at) => one(ledgers[at % ledgers.length] ?? money.ledger)),
    )
    const balances = await Promise.all(callers.map((caller) => money.findBalance(caller.accountId)))
    const left = balances.reduce((sum, balance) => sum + balance.posted, 0n)
    expect({ seed: random.seed, left }).toEqual({
      seed: random.seed,
      left: 8_000_000n - charges.reduce((sum, charge) => sum + charge, 0n),
    })
    await assertSound(money, TEST_NOW)
    await money.close()
  })

  // B034: no float ever holds money. 100,000 charges on SQLite, 20,000 on PostgreSQL.
  test(
    'the sum of many random charges is the change of the balance, to the nanocredit',
    { timeout: 120_000 },
    async () => {
      const money = await openTestLedger(engine)
      const start = 900_000_000_000_000_000n
      const caller = await money.createCaller(start)
      const random = createRandom()
      let charged = 0n
      const rounds = engine === 'sqlite' ? 50 : 10
      for (let round = 0; round < rounds; round++) {
        const holds = Array.from({ length: 2_000 }, () => placeHold(caller, { fixed: 9_007_199_254_741n }))
        await Promise.all(holds.map((hold) => money.ledger.submit(hold)))
        const settled = await Promise.all(
          holds.map((hold) => money.ledger.submit(capture(hold.holdId, BigInt(random.below(2 ** 43)) + 1n))),
        )
        charged += settled.reduce((sum, result) => sum + result.charge, 0n)
      }
      expect({ seed: random.seed, ...(await money.findBalance(caller.accountId)) }).toEqual({
        seed: random.seed,
        posted: start - charged,
        held: 0n,
      })
      await assertSound(money, TEST_NOW)
      await money.close()
    },
  )

  // B039: a budget's count is in its row, so a restart neither forgets nor doubles it.
  test('a restart does not count a budget twice', async () => {
    const money = await openTestLedger(engine)
    const caller = await money.createCaller(100n, { keyLimit: 10n })
    const first = placeHold(caller, { fixed: 6n })
    await money.ledger.submit(first)
    await money.ledger.submit(capture(first.holdId, 6n))
    const [, restarted = money.ledger] = await openSeveral(money, 2)
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => restarted.submit(placeHold(caller, { fixed: 1n }))),
    )
    expect(answers.map((answer) => answer.kind)).toEqual(['placed', 'placed', 'placed', 'placed', 'insufficient'])
    await assertSound(money, TEST_NOW)
    await money.close()
  })

  // B041: the debit, the transfer and the record are one transaction.
  test('a settlement that cannot write its record moves no money, and can be made good', async () => {
    const money = await openTestLedger(engine)
    const caller = await money.createCaller(100n)
    const hold = placeHold(caller, { fixed: 50n })
    await money.ledger.submit(hold)
    const broken = capture(hold.holdId, 30n)
    const impossible = { ...broken, facts: { ...broken.facts, status: 'unheard of' as 'ok' } }
    const [failed, other] = await Promise.allSettled([
      money.ledger.submit(impossible),
      money.ledger.submit(placeHold(caller, { fixed: 5n })),
    ])
    expect([failed.status, other.status]).toEqual(['rejected', 'fulfilled'])
    expect(await money.findBalance(caller.accountId)).toEqual({ posted: 100n, held: 55n })
    expect(await money.ledger.submit(broken)).toMatchObject({ charge: 30n })
    expect(await money.ledger.submit(release(hold.holdId))).toMatchObject({ kind: 'already_settled', charge: 30n })
    await assertSound(money, TEST_NOW)
    await money.close()
  })
})
