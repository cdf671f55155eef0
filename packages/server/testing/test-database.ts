/** Fresh, migrated databases for tests, on both engines. */
import { randomUUID } from 'node:crypto'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, inject } from 'vitest'
import type { DatabaseEngine } from '../src/platform/db/database.ts'
import { openDatabase, type OpenDatabase } from '../src/platform/db/open-database.ts'
import { databaseUrl, runAsAdmin, TEMPLATE_DATABASE } from './template-database.ts'

/** The composition root of the thread that makes SQLite's checkpoints, for tests that open databases themselves. */
export const CHECKPOINT_WORKER = new URL('../src/app/sqlite-checkpoint.worker.ts', import.meta.url)

/** Where a database that nobody else uses is, whoever opens it. */
export interface TestPlace {
  readonly engine: DatabaseEngine
  /** Address of a PostgreSQL database; null for SQLite. */
  readonly url: string | null
  /** Folder of a SQLite database; for PostgreSQL an empty folder. */
  readonly dataDir: string
}

export interface TestDatabase extends TestPlace {
  readonly database: OpenDatabase
  /** Opens the same database once more, as another process would. Closed with the rest. */
  openAgain(): Promise<OpenDatabase>
  /** Closes every connection and removes the database. */
  close(): Promise<void>
}

/** Makes a migrated database without opening it. @returns its place, and what removes it once it is closed. */
export async function makeTestDatabase(
  engine: DatabaseEngine,
): Promise<{ readonly place: TestPlace; readonly remove: () => Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-test-'))
  const removeFolder = (): Promise<void> => rm(dataDir, { recursive: true, force: true })
  if (engine === 'sqlite') {
    await copyFile(inject('sqliteTemplate'), join(dataDir, 'svc.db'))
    return { place: { engine, url: null, dataDir }, remove: removeFolder }
  }
  const adminUrl = requirePostgres()
  const name = `svc_test_${randomUUID().replaceAll('-', '')}`
  await runAsAdmin(adminUrl, [`create database ${name} template ${TEMPLATE_DATABASE}`])
  return {
    place: { engine, url: databaseUrl(adminUrl, name), dataDir },
    remove: async () => {
      // Without force: the server waits for connections that are about to end, where force would make them fail.
      await runAsAdmin(adminUrl, [`drop database if exists ${name}`])
      await removeFolder()
    },
  }
}

/** Makes a database that nobody else uses, and opens it. */
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
