/** Fresh, migrated databases for tests, on both engines. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, inject } from 'vitest'
import type { DatabaseEngine } from '../src/db/database.ts'
import { openDatabase, type OpenDatabase } from '../src/db/open-database.ts'
import { databaseUrl, runAsAdmin, TEMPLATE_DATABASE } from './template-database.ts'

/** The composition root of the SQLite writer thread, for tests that open databases themselves. */
export const WRITER_WORKER = new URL('../src/sqlite-writer.worker.ts', import.meta.url)

export interface TestDatabase {
  readonly database: OpenDatabase
  readonly engine: DatabaseEngine
  /** Address of a PostgreSQL database; null for SQLite. */
  readonly url: string | null
  /** Folder of a SQLite database; for PostgreSQL an empty folder. */
  readonly dataDir: string
  /** Opens the same database once more, as another process would. Closed with the rest. */
  openAgain(): Promise<OpenDatabase>
  /** Closes every connection and removes the database. */
  close(): Promise<void>
}

/** Makes a database that nobody else uses. */
export async function openTestDatabase(engine: DatabaseEngine): Promise<TestDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-test-'))
  const adminUrl = engine === 'postgres' ? requirePostgres() : null
  const name = `svc_test_${randomUUID().replaceAll('-', '')}`
  if (adminUrl !== null) await runAsAdmin(adminUrl, [`create database ${name} template ${TEMPLATE_DATABASE}`])

  const url = adminUrl === null ? null : databaseUrl(adminUrl, name)
  const opened: OpenDatabase[] = []
  const openAgain = async (): Promise<OpenDatabase> => {
    const database = await openDatabase({ url, dataDir, writerWorker: WRITER_WORKER })
    opened.push(database)
    return database
  }
  const database = await openAgain()
  return {
    database,
    engine,
    url,
    dataDir,
    openAgain,
    async close() {
      for (const open of opened) await open.close()
      // Without force: the server waits for connections that are about to end, where force would make them fail.
      if (adminUrl !== null) await runAsAdmin(adminUrl, [`drop database if exists ${name}`])
      await rm(dataDir, { recursive: true, force: true })
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
