/** What one piece of work reads does not grow with the store. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPostgresSession, type PostgresSession } from '../packages/server/testing/postgres-session.ts'
import { findPostgres, makeTestDatabase } from '../packages/server/testing/test-database.ts'
import { fillHistory } from './fill-history.ts'
import { createPastKeys } from './past-keys.ts'

const DAY_MS = 86_400_000
const REQUESTS = 5_000
/** Leaves of one append. */
const PORTION = 256

describe.skipIf(findPostgres() === null)('on PostgreSQL', () => {
  let session: PostgresSession
  let close: () => Promise<void>
  beforeAll(async () => {
    const { place, remove } = await makeTestDatabase('postgres')
    const to = Date.now() - 60_000
    const from = to - 30 * DAY_MS
    const keys = await createPastKeys(place, { accounts: 5, at: from, pepper: 'a pepper' })
    await fillHistory(
      place,
      keys.map(({ keyId }) => keyId),
      { requests: REQUESTS, from, to },
    )
    session = await openPostgresSession(place.url ?? '')
    await session.query(`
      insert into ledger_log_pending (entries)
        select json_build_array(entry)::text from ledger_log_pending, json_array_elements_text(entries::json) entry`)
    await session.query('analyze ledger_log_pending')
    close = async () => {
      await session.close()
      await remove()
    }
  })
  afterAll(() => close())

  /** Rows of a table that a statement reads. */
  async function rowsRead(table: string, statement: string): Promise<number> {
    await session.query('begin')
    await session.query(statement)
    const [row] = await session.query(
      `select seq_tup_read + coalesce(idx_tup_fetch, 0) as rows from pg_stat_xact_user_tables where relname = '${table}'`,
    )
    await session.query('rollback')
    return Number(row?.['rows'])
  }

  test.each(['transfer', 'usage_record', 'ledger_log_pending'])(
    'a portion of a long backlog of the ledger log reads its own rows of %s alone',
    async (table) => {
      const salts = `decode(repeat('00', ${2 * PORTION * 32}), 'hex')`
      const rows = await rowsRead(table, `select * from ledger_log_next(${PORTION}, ${salts})`)
      expect(rows).toBeGreaterThan(0)
      // Two looks at a row at most, and what was counted of this connection before.
      expect(rows).toBeLessThanOrEqual(4 * PORTION)
    },
  )
})
