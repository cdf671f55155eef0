import { CompiledQuery, type Kysely, type KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../testing/test-database.ts'
import { createAccountDirectory } from '../../operations/actions/account-directory-store.ts'
import { createAccountExport } from '../../operations/actions/account-export-store.ts'
import type { Database } from '../../platform/db/database.ts'
import { createBalanceStore } from './balance-store.ts'

let open: TestDatabase
beforeAll(async () => {
  open = await openTestDatabase('sqlite')
})
afterAll(() => open.close())

/** How SQLite reads what a piece of work asks for: the steps of all its queries. */
async function plansOf(work: (database: Database) => Promise<unknown>): Promise<readonly string[]> {
  const { read } = open.database
  const asked: CompiledQuery[] = []
  const watch: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      asked.push(read.getExecutor().compileQuery(node, queryId))
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  }
  await work({ ...open.database, read: read.withPlugin(watch) })
  const plans: string[] = []
  for (const { sql, parameters } of asked) plans.push(...(await explain(read, sql, parameters)))
  return plans
}

async function explain(read: Kysely<never> | Database['read'], sql: string, parameters: readonly unknown[]) {
  const query = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters])
  const { rows } = await (read as Kysely<never>).executeQuery<{ readonly detail: string }>(query)
  return rows.map(({ detail }) => detail)
}

const FUNDINGS = 'transfer_funding_by_account (account_id=? AND transfer_id>?)'

// An account may have made millions of requests; these reads are about its few fundings and open holds.
test.each<[string, (database: Database) => Promise<unknown>, string]>([
  ['a balance', (database) => createBalanceStore(database).findBalance('a'), FUNDINGS],
  ['the last fundings', (database) => createAccountDirectory(database).listFundings('a', 20), FUNDINGS],
  ['the open holds', (database) => createAccountDirectory(database).readOpenHolds('a'), 'hold_open_by_process'],
  ['the fundings of an export', (database) => section(database, 'fundings'), FUNDINGS],
  ['the open holds of an export', (database) => section(database, 'open_holds'), 'hold_open_by_process'],
])('%s are read without the requests of the account', async (_name, work, index) => {
  const plans = (await plansOf(work)).filter((plan) => / (?:transfer|hold) /.test(plan))
  expect(plans).toHaveLength(1)
  expect(plans[0]).toContain(index)
})

function section(database: Database, name: string): Promise<unknown> {
  const found = createAccountExport(database)('a', 0).find((each) => each.name === name)
  return found?.page(null, 250) ?? Promise.reject(new Error(`there is no section ${name}`))
}
