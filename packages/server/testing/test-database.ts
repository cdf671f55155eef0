/** Fresh, migrated databases for tests, on both engines. */
import { describe, inject } from 'vitest'
import type { DatabaseEngine } from '../src/platform/db/database.ts'
import { openDatabase, type OpenDatabase } from '../src/platform/db/open-database.ts'
import {
  CHECKPOINT_WORKER,
  type DatabasePlace,
  type FreshDatabase,
  makePostgresDatabase,
  makeSqliteDatabase,
} from './fresh-database.ts'
import { TEMPLATE_DATABASE } from './template-database.ts'

export interface TestDatabase extends DatabasePlace {
  readonly database: OpenDatabase
  /** Opens the same database once more, as another process would. Closed with the rest. */
  openAgain(): Promise<OpenDatabase>
  /** Closes every connection and removes the database. */
  close(): Promise<void>
}

/** Makes a migrated database without opening it. */
export function makeTestDatabase(engine: DatabaseEngine): Promise<FreshDatabase> {
  if (engine === 'sqlite') return makeSqliteDatabase(inject('sqliteTemplate'))
  return makePostgresDatabase(requirePostgres(), { template: TEMPLATE_DATABASE })
}

/** Makes a database of its own, and opens it. */
export async function openTestDatabase(engine: DatabaseEngine): Promise<TestDatabase> {
  const { place, remove } = await makeTestDatabase(engine)
  const opened: OpenDatabase[] = []
  const openAgain = async (): Promise<OpenDatabase> => {
    const database = await openDatabase({ ...place, checkpointWorker: CHECKPOINT_WORKER })
    opened.push(database)
    return database
  }
  return {
    ...place,
    database: await openAgain(),
    openAgain,
    async close() {
      for (const open of opened) await open.close()
      await remove()
    },
  }
}

/** Address of the PostgreSQL server of this run; null when there is none, which is allowed only outside of CI. */
export function findPostgres(): string | null {
  return inject('postgresUrl')
}

function requirePostgres(): string {
  const url = findPostgres()
  if (url === null) throw new Error('this test needs PostgreSQL: ask with findPostgres first')
  return url
}

/** Declares one suite per engine, so that every promise is kept on both. */
export function describeEachEngine(name: string, suite: (engine: DatabaseEngine) => void): void {
  describe(`${name} on SQLite`, () => suite('sqlite'))
  describe.skipIf(findPostgres() === null)(`${name} on PostgreSQL`, () => suite('postgres'))
}
