/** A long backlog leaves the thread to requests, where they share one. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTestLog, testSigners } from '../../../testing/test-log.ts'
import { openTestDatabase, type TestDatabase } from '../../../testing/test-database.ts'
import { grant } from '../../../testing/ledger-operations.ts'
import { seedCaller } from '../../../testing/seed-caller.ts'

/** Appends of 256 leaves, and one more. */
const GRANTS = 600
/** How long an append takes here, and how long another turn waits, in milliseconds. */
const WORK_MS = 50
const TURN_MS = 100

let open: TestDatabase
beforeEach(async () => {
  open = await openTestDatabase('sqlite')
})
afterEach(() => open.close())

test.each([
  ['read from the database', 'have', true],
  ['known from memory', 'wait for', false],
])('entries that are %s: others %s their turn before the next append', async (_from, _have, forgets) => {
  let turns = 0
  const begun: number[] = []
  const { log, ledger, store } = openTestLog(open.database, {
    ...{ signers: testSigners(), forgets },
    around: (append) => async (context) => {
      begun.push(turns)
      const appended = await append(context)
      for (const from = performance.now(); performance.now() - from < WORK_MS;);
      setTimeout(() => turns++, TURN_MS)
      return appended
    },
  })
  const { accountId } = await seedCaller(open.database)
  for (let at = 0; at < GRANTS; at++) await ledger.submit(grant(accountId, 1n, { transferId: `grant-${at}` }))
  await log.tick()
  expect(begun.slice(0, 2)).toEqual([0, forgets ? 1 : 0])
  expect(await store.countPending()).toBe(0)
  await ledger.close()
})
