import { Client } from 'pg'
import { openPostgresDatabase } from '../src/db/postgres-database.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address of a PostgreSQL server with all rights; null when none can be had here. */
    readonly postgresUrl: string | null
  }
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
