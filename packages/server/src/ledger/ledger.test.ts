import { expect, test, beforeAll, afterAll } from 'vitest'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { seedCaller } from '../../testing/seed-caller.ts'
import { capture, grant, placeHold } from '../../testing/ledger-operations.ts'
import { createLedgerEngine } from './create-ledger-engine.ts'
import { Ledger } from './ledger.ts'

describeEachEngine('the ledger', (engine) => {
  let testDatabase: TestDatabase
  let ledger: Ledger
  beforeAll(async () => {
    testDatabase = await openTestDatabase(engine)
    ledger = new Ledger({ engine: createLedgerEngine(testDatabase.database) })
  })
  afterAll(async () => {
    await ledger.close()
    await testDatabase.close()
  })

  test('a request is held and charged', async () => {
    const caller = await seedCaller(testDatabase.database)
    await ledger.submit(grant(caller.accountId, 1_000n))
    const hold = placeHold(caller, { fixed: 100n })
    expect(await ledger.submit(hold)).toEqual({ kind: 'placed', amount: 100n, units: 1, limit: null })
    expect(await ledger.submit(capture(hold.holdId, 60n))).toEqual({ kind: 'settled', charge: 60n, writeOff: 0n })
    const rows = await testDatabase.database.read
      .selectFrom('balance')
      .selectAll()
      .where('account_id', '=', caller.accountId)
      .execute()
    expect(rows).toEqual([{ account_id: caller.accountId, posted: 940n, held: 0n }])
  })
})
