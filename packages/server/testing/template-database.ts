/** Migrated databases that test databases are copied from: migrating each anew took most of a test gateway's start. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { migrateSqlite } from '../src/platform/db/migrate.ts'
import { openPostgresDatabase } from '../src/platform/db/postgres-database.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address of a PostgreSQL server with all rights; null when none can be had here. */
    readonly postgresUrl: string | null
    /** A file with the present schema and nothing in it, to be copied as `svc.db`. */
    readonly sqliteTemplate: string
  }
}

/** A migrated SQLite file, in a folder of its own until it is removed. */
export interface SqliteTemplate {
  readonly path: string
  remove(): Promise<void>
}

/** Makes a migrated file that is whole by itself: its write-ahead log went into it as it was closed. */
export async function createSqliteTemplate(): Promise<SqliteTemplate> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-template-'))
  const path = join(folder, 'svc.db')
  await migrateSqlite(path, Date.now())
  return { path, remove: () => rm(folder, { recursive: true, force: true }) }
}

/**
 * A migrated database that test databases are cloned from. Its own order of text is not the byte order, which would
 * hide faults.
 */
export const TEMPLATE_DATABASE = 'svc_test_template'

/** Makes the template anew, so that it always has the present schema. */
export async function createTemplateDatabase(adminUrl: string): Promise<void> {
  await runAsAdmin(adminUrl, [
    `drop database if exists ${TEMPLATE_DATABASE} with (force)`,
    `create database ${TEMPLATE_DATABASE} template template0 encoding 'UTF8'
       locale_provider icu icu_locale 'en-US' locale 'C'`,
  ])
  const database = await openPostgresDatabase(databaseUrl(adminUrl, TEMPLATE_DATABASE))
  await database.close()
}

/** Runs statements one by one on the server's own database. */
export async function runAsAdmin(adminUrl: string, statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: adminUrl })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** The address of another database on the same server. */
export function databaseUrl(adminUrl: string, name: string): string {
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  return url.href
}
