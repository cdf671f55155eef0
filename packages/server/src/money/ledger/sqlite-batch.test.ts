import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { capture, placeHold, TEST_NOW } from '../../../testing/ledger-operations.ts'
import { seedCaller, type SeededCaller } from '../../../testing/seed-caller.ts'
import { openTestDatabase, type TestDatabase } from '../../../testing/test-database.ts'
import { createLedgerEngine } from './create-ledger-engine.ts'
import type { EngineResult, LedgerEngine } from './ledger-engine.ts'
import type { LedgerOperation } from './operations.ts'

let opened: TestDatabase
let engine: LedgerEngine
let other: DatabaseSync
let caller: SeededCaller

beforeAll(async () => {
  opened = await openTestDatabase('sqlite')
  const { database } = opened
  if (database.engine !== 'sqlite') throw new Error('this is SQLite')
  engine = createLedgerEngine(database)
  other = new DatabaseSync(database.path, { timeout: 5_000 })
  caller = await seedCaller(database, { posted: 1_000n })
})
afterAll(async () => {
  other.close()
  await opened.close()
})

async function applyOne(operation: LedgerOperation): Promise<EngineResult | undefined> {
  return (await engine.apply([operation]))[0]
}

test('what another connection has written decides the next batch', async () => {
  const hold = placeHold(caller, { holdId: 'known-1', fixed: 100n })
  expect(await applyOne(hold)).toMatchObject({ kind: 'placed' })
  other.exec(`update balance set posted = 150 where account_id = '${caller.accountId}'`)
  expect(await applyOne(placeHold(caller, { holdId: 'known-2', fixed: 100n }))).toMatchObject({
    kind: 'insufficient',
    available: 50n,
  })
  other.exec(`update balance set posted = 1000 where account_id = '${caller.accountId}'`)
  other.exec(`update hold set amount = 60 where hold_id = 'known-1'`)
  other.exec(`update balance set held = 60 where account_id = '${caller.accountId}'`)
  expect(await applyOne(capture('known-1', 40n))).toMatchObject({ kind: 'settled', charge: 40n })
  const row = other.prepare('select posted, held from balance where account_id = ?').get(caller.accountId)
  expect({ ...row }).toEqual({ posted: 960, held: 0 })
})

test('what the writer has written beside batches decides the next one', async () => {
  const { database } = opened
  const suspend = (status: 'active' | 'suspended') =>
    database.write([
      database.read.updateTable('account').set({ status }).where('account_id', '=', caller.accountId).compile(),
    ])
  expect(await applyOne(placeHold(caller, { holdId: 'known-3', fixed: 1n }))).toMatchObject({ kind: 'placed' })
  await suspend('suspended')
  expect(await applyOne(placeHold(caller, { holdId: 'known-4', fixed: 1n }))).toEqual({
    kind: 'refused',
    reason: 'account_suspended',
  })
  await suspend('active')
  expect(await applyOne(placeHold(caller, { holdId: 'known-4', fixed: 1n }))).toMatchObject({ kind: 'placed' })
})

test('a batch that was rolled back leaves nothing behind', async () => {
  const hold = placeHold(caller, { holdId: 'known-5', fixed: 1n })
  // No correct caller asks for this: half a millisecond is no whole number, so the table refuses the row.
  const broken = placeHold(caller, { holdId: 'known-6', fixed: 1n, now: TEST_NOW + 0.5 })
  await expect(engine.apply([hold, broken])).rejects.toThrow(/INTEGER/)
  const found = other.prepare(`select count(*) as rows from hold where hold_id = 'known-5'`).get()
  expect({ ...found }).toEqual({ rows: 0 })
  expect(await applyOne(hold)).toMatchObject({ kind: 'placed' })
  const kept = other.prepare('select held from balance where account_id = ?').get(caller.accountId)
  const open = other
    .prepare(`select sum(amount) as held from hold where account_id = ? and state = 'held'`)
    .get(caller.accountId)
  expect({ ...kept }).toEqual({ ...open })
})
