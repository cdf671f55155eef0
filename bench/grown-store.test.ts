/** What one piece of work reads does not grow with the store. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readOverview } from '../packages/server/src/money/billing/read-overview.ts'
import { createUsageStore } from '../packages/server/src/money/billing/usage-store.ts'
import { createArchiveStore } from '../packages/server/src/money/ledger/archive-store.ts'
import type { Database } from '../packages/server/src/platform/db/database.ts'
import { openDatabase } from '../packages/server/src/platform/db/open-database.ts'
import { leastIdOf } from '../packages/server/src/platform/runtime/ids.ts'
import { CHECKPOINT_WORKER, type FreshDatabase } from '../packages/server/testing/fresh-database.ts'
import { openPostgresSession } from '../packages/server/testing/postgres-session.ts'
import { findPostgres, makeTestDatabase } from '../packages/server/testing/test-database.ts'
import { fillHistory } from './fill-history.ts'
import { createPastKeys } from './past-keys.ts'

/** What sees each query before it is sent. */
type QueryWatcher = Parameters<Database['read']['withPlugin']>[0]

const DAY_MS = 86_400_000
const DAYS = 30
const REQUESTS = 6_000
/** Rows at the ends of indexes that a plan may look at. */
const PLANNER_ROWS = 10
/** Leaves of one append. */
const PORTION = 256

describe.skipIf(findPostgres() === null)('on PostgreSQL', () => {
  let fresh: FreshDatabase
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  beforeAll(async () => {
    fresh = await makeTestDatabase('postgres')
    const from = today - DAYS * DAY_MS
    const keys = await createPastKeys(fresh.place, { accounts: 200, at: from, pepper: 'a pepper' })
    const ids = keys.map(({ keyId }) => keyId)
    await fillHistory(fresh.place, ids, { requests: REQUESTS, from, to: today })
    // Not whenever the server would: plans follow what it knows.
    await ask(['analyze'])
  })
  afterAll(() => fresh.remove())

  async function ask(statements: readonly string[]): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const session = await openPostgresSession(fresh.place.url ?? '')
    let rows: readonly Readonly<Record<string, unknown>>[] = []
    for (const statement of statements) rows = await session.query(statement)
    await session.close()
    return rows
  }

  /** Rows of a table that a statement reads, in a connection that has read nothing before. */
  async function rowsRead(table: string, statement: string): Promise<number> {
    const counted = `select seq_tup_read + coalesce(idx_tup_fetch, 0) as rows from pg_stat_xact_user_tables
      where relname = '${table}'`
    // What an index alone answers is counted nowhere.
    const [row] = await ask(['begin', 'set local enable_indexonlyscan = off', statement, counted])
    return Number(row?.['rows'])
  }

  /** The statements of a piece of work, with their values in them. */
  async function statementsOf(work: (database: Database) => Promise<unknown>): Promise<readonly string[]> {
    const database = await openDatabase({ ...fresh.place, checkpointWorker: CHECKPOINT_WORKER })
    const asked: string[] = []
    const watch: QueryWatcher = {
      transformQuery({ node, queryId }) {
        const { sql, parameters } = database.read.getExecutor().compileQuery(node, queryId)
        asked.push(sql.replaceAll(/\$(\d+)/g, (_all, at) => `'${String(parameters[Number(at) - 1])}'`))
        return node
      },
      transformResult: ({ result }) => Promise.resolve(result),
    }
    await work({ ...database, read: database.read.withPlugin(watch) })
    await database.close()
    return asked
  }

  test('an overview reads each record once, and no statement more than a day', async () => {
    const span = { from: today - 5 * DAY_MS, to: today }
    let found = 0
    const statements = await statementsOf(async (database) => {
      const { total, days } = await readOverview(database, span)
      found = total.requests
      expect(days).toHaveLength(5)
    })
    expect(found).toBeGreaterThan((4.9 * REQUESTS) / DAYS)
    const rows: number[] = []
    for (const statement of statements) rows.push(await rowsRead('usage_record', statement))
    // Ids are looked at from an hour before to an hour after.
    expect(Math.max(...rows)).toBeLessThan((1.2 * REQUESTS) / DAYS)
    expect(rows.reduce((sum, read) => sum + read, 0)).toBeLessThan((6 * REQUESTS) / DAYS)
  })

  test('a page of requests of a team that asks a lot reads no more than the page, of whichever of its keys', async () => {
    const [busiest] = await ask([
      `select k.account_id, k.team_id, k.key_id, a.requests
         from api_key k
         join (select account_id, sum(requests) as requests from usage_daily group by 1) a using (account_id)
         join (select key_id, sum(requests) as requests from usage_daily group by 1) r using (key_id)
        order by a.requests desc, r.requests desc limit 1`,
    ])
    const { account_id: accountId, team_id: teamId, key_id: keyId, requests } = busiest as Record<string, string>
    expect(Number(requests)).toBeGreaterThan(800)
    for (const onlyKey of [null, keyId ?? '']) {
      const scope = { accountId: accountId ?? '', teamId: teamId ?? '', createdBy: null, onlyKey }
      const page = { after: null, limit: 51 }
      const statements = await statementsOf(async (database) => {
        expect(await createUsageStore(database, null).list({ scope }, { from: null, to: null }, page)).toHaveLength(51)
      })
      expect(statements).toHaveLength(1)
      // By the index of the account, or by that of all records, of which it has a sixth: not all that it has.
      expect(await rowsRead('usage_record', statements[0] ?? '')).toBeLessThan(600)
    }
  })

  test('a page of requests that were cancelled reads no others but those that did not end well either', async () => {
    const [busiest] = await ask([
      `select u.account_id, k.team_id, count(*) as requests,
              (select count(*) from usage_record o where o.account_id = u.account_id and o.status <> 'ok') as others
         from usage_record u join api_key k using (key_id) group by 1, 2 order by 3 desc limit 1`,
    ])
    const { account_id: accountId, team_id: teamId, others } = busiest as Record<string, string>
    const scope = { accountId: accountId ?? '', teamId: teamId ?? '', createdBy: null, onlyKey: null }
    const statements = await statementsOf(async (database) => {
      const span = { from: null, to: null }
      const page = { after: null, limit: 51 }
      const records = await createUsageStore(database).list({ scope, status: 'cancelled' }, span, page)
      expect(records.length).toBeGreaterThan(0)
      expect(new Set(records.map(({ status }) => status))).toEqual(new Set(['cancelled']))
    })
    const rows: number[] = []
    for (const statement of statements) rows.push(await rowsRead('usage_record', statement))
    // The planner itself looks at the ends of indexes.
    expect(Math.max(...rows)).toBeLessThanOrEqual(Number(others) + PLANNER_ROWS)
  })

  test('a portion of the archive reads its own records, and not all that wait behind it', async () => {
    const before = today - 5 * DAY_MS
    const portion = { afterId: '', endedBefore: before, belowId: leastIdOf(before), limit: 100 }
    const statements = await statementsOf(async (database) => {
      const requests = await createArchiveStore(database).readPortion(portion)
      expect(requests.length).toBeGreaterThan(90)
      expect(requests.length).toBeLessThanOrEqual(100)
    })
    for (const table of ['usage_record', 'hold']) {
      const rows: number[] = []
      for (const statement of statements) rows.push(await rowsRead(table, statement))
      expect(Math.max(...rows)).toBeGreaterThan(0)
      expect(Math.max(...rows)).toBeLessThanOrEqual(200)
    }
  })

  test.each(['transfer', 'usage_record', 'ledger_log_pending'])(
    'a portion of a long backlog of the ledger log reads its own rows of %s alone',
    async (table) => {
      await ask([
        `with old as (delete from ledger_log_pending returning pending_id, entries)
           insert into ledger_log_pending (entries) select json_build_array(entry)::text
             from old, json_array_elements_text(entries::json) with ordinality e (entry, n) order by pending_id, n`,
        'analyze ledger_log_pending',
      ])
      const salts = `decode(repeat('00', ${2 * PORTION * 32}), 'hex')`
      const rows = await rowsRead(table, `select * from ledger_log_next(${PORTION}, ${salts})`)
      expect(rows).toBeGreaterThan(0)
      expect(rows).toBeLessThanOrEqual(2 * PORTION)
    },
  )
})
