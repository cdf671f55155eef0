import { afterAll, beforeAll, expect, test } from 'vitest'
import { testXpub } from '../../testing/deposit-scene.ts'
import { seedCaller } from '../../testing/seed-caller.ts'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { openDepositXpub } from '../chain/deposit-xpub.ts'
import { createDepositAddressStore } from './deposit-address-store.ts'
import { giveDepositAddress } from './give-deposit-address.ts'

describeEachEngine('the deposit address of an account', (engine) => {
  let open: TestDatabase
  const clock = { now: () => Date.now() }
  beforeAll(async () => {
    open = await openTestDatabase(engine)
  })
  afterAll(() => open.close())

  test('is one for each account, asked for by many processes at once', async () => {
    const xpub = await openDepositXpub(testXpub())
    const others = [open.database, await open.openAgain(), await open.openAgain()]
    const callers = await Promise.all(Array.from({ length: 6 }, () => seedCaller(open.database)))
    const asked = callers.flatMap(({ accountId }) =>
      others.map((database) =>
        giveDepositAddress(
          { addresses: createDepositAddressStore(database), clock },
          { chainId: 4663, xpub },
          accountId,
        ),
      ),
    )
    const given = await Promise.all(asked)
    expect(new Set(given).size).toBe(6)
    const again = await giveDepositAddress(
      { addresses: createDepositAddressStore(open.database), clock },
      { chainId: 4663, xpub },
      callers[0]!.accountId,
    )
    expect(again).toBe(given[0])
  })

  test('is not shown when the row is not what the key gives', async () => {
    const xpub = await openDepositXpub(testXpub(8))
    const { accountId } = await seedCaller(open.database)
    const addresses = createDepositAddressStore(open.database)
    await addresses.insert({
      ...{ addressId: 'address-1', accountId, chainId: 4663, xpubId: xpub.id, derivationIndex: 3, createdAt: 1 },
      address: `0x${'66'.repeat(20)}`,
    })
    await expect(giveDepositAddress({ addresses, clock }, { chainId: 4663, xpub }, accountId)).rejects.toThrow(
      'not what its key gives',
    )
  })

  test('changes with the key, and the earlier one stays known', async () => {
    const [first, second] = [await openDepositXpub(testXpub(9)), await openDepositXpub(testXpub(10))]
    const { accountId } = await seedCaller(open.database)
    const addresses = createDepositAddressStore(open.database)
    const one = await giveDepositAddress({ addresses, clock }, { chainId: 4663, xpub: first }, accountId)
    const other = await giveDepositAddress({ addresses, clock }, { chainId: 4663, xpub: second }, accountId)
    expect(one).not.toBe(other)
    const owners = await addresses.findOwners(4663, [one, other])
    expect([owners.get(one), owners.get(other)]).toEqual([accountId, accountId])
    expect((await addresses.findOwners(46630, [one])).size).toBe(0)
  })
})
