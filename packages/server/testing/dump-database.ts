import { sql } from 'kysely'
import type { Database } from '../src/platform/db/database.ts'
import { readDatabaseFiles } from './test-gateway.ts'

interface DumpedDatabase {
  readonly engine: 'sqlite' | 'postgres'
  readonly database: Pick<Database, 'read'>
  readonly dataDir: string
}

const tableNames = {
  sqlite: sql<{ name: string }>`select name from sqlite_master where type = 'table'`,
  postgres: sql<{
    name: string
  }>`select table_name as name from information_schema.tables where table_schema = 'public'`,
} as const

/** All rows of all tables, as text. */
export async function dumpRows({ engine, database }: Pick<DumpedDatabase, 'engine' | 'database'>): Promise<string> {
  const { rows: tables } = await tableNames[engine].execute(database.read)
  const dumps = await Promise.all(
    tables.map(async ({ name }) => (await sql`select * from ${sql.table(name)}`.execute(database.read)).rows),
  )
  return JSON.stringify(dumps, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
}

/** Everything that a database keeps, as text: its rows, and for SQLite the bytes of its files as well. */
export async function dumpDatabase(dumped: DumpedDatabase): Promise<string> {
  const text = await dumpRows(dumped)
  return dumped.engine === 'sqlite' ? text + (await readDatabaseFiles(dumped.dataDir)) : text
}
