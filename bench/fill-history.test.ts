/** What the fill writes is what a gateway would have: its own audit finds nothing. */
import { expect } from 'vitest'
import { test } from 'vitest'
import { openGatewayBooks } from '../packages/server/testing/gateway-rig.ts'
import { describeEachEngine, makeTestDatabase } from '../packages/server/testing/test-database.ts'
import { fillHistory } from './fill-history.ts'
import { createPastKeys } from './past-keys.ts'

const DAY_MS = 86_400_000
const PEPPER = 'a pepper'

describeEachEngine('a filled history', (engine) => {
  test('is one that the audit accepts, with every kind of end', async () => {
    const { place, remove } = await makeTestDatabase(engine)
    const to = Date.now() - 60_000
    const from = to - 10 * DAY_MS
    const keys = await createPastKeys(place, { accounts: 10, at: from, pepper: PEPPER })
    await fillHistory(
      place,
      keys.map(({ keyId }) => keyId),
      { requests: 2_000, from, to },
    )
    const books = await openGatewayBooks(place, PEPPER)
    expect(await books.breaches()).toEqual([])
    const { read } = books.database
    const records = read.selectFrom('usage_record').select(['status', ({ fn }) => fn.countAll<number>().as('requests')])
    const counted = new Map((await records.groupBy('status').execute()).map((row) => [row.status, row.requests]))
    expect([...counted.keys()].toSorted()).toEqual(['cancelled', 'error', 'ok'])
    expect([...counted.values()].reduce((sum, requests) => sum + requests, 0)).toBe(2_000)
    const kinds = await read.selectFrom('transfer').select('kind').distinct().orderBy('kind').execute()
    expect(kinds.map(({ kind }) => kind)).toEqual(['capture', 'grant', 'write_off'])
    const waiting = await read.selectFrom('ledger_log_pending').select('entries').execute()
    expect(waiting.flatMap(({ entries }) => JSON.parse(entries) as string[])).toHaveLength(2_000 + 10)
    await books.close()
    await remove()
  })
})
