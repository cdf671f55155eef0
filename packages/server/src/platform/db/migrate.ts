/**
 * Brings a database to the present schema: forward only, each file in a transaction of its own, safe when many
 * processes start at once. Source: decision 0106 (one first schema).
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { PoolClient } from 'pg'
import type { DatabaseEngine } from './database.ts'
import { beginWithin } from './postgres-limits.ts'
import type { PostgresPool } from './postgres-pool.ts'
import { connectSqlite } from './sqlite-connection.ts'

/**
 * One file of `migrations/<engine>/`, which never changes once it was released; or one of its folder `functions/`,
 * which replaces what it defines and is applied again, after all others, whenever its content differs.
 */
export interface Migration {
  readonly name: string
  readonly sql: string
  /** SHA-256 of the file as hex digits. */
  readonly checksum: string
  readonly isRepeatable: boolean
}

/** A migration that was applied before differs from its file: the schema is not what the code believes it to be. */
export class ChangedMigrationError extends Error {
  constructor(name: string) {
    super(
      `Migration ${name} was applied to this database with another content than the file has now. ` +
        'A migration never changes once it has landed: restore the file and write a new one.',
    )
    this.name = 'ChangedMigrationError'
  }
}

/** The database was migrated by another version of SVC: it holds changes of which this code has no file. */
export class UnknownSchemaError extends Error {
  constructor(names: readonly string[]) {
    super(
      `This database has a schema that this version of SVC does not know (${names.join(', ')}). Nothing was changed. ` +
        'Start the version that made it, or start this one with a new, empty database or data folder.',
    )
    this.name = 'UnknownSchemaError'
  }
}

const MIGRATIONS = new URL('../../../migrations/', import.meta.url)

const CREATE_TABLE = (integer: string): string =>
  `create table if not exists schema_migration (
     name text not null primary key, checksum text not null, applied_at ${integer} not null)`

const NOTE_APPLIED = 'insert into schema_migration (name, checksum, applied_at)'
const REPLACE_NOTE = 'on conflict (name) do update set checksum = excluded.checksum, applied_at = excluded.applied_at'

/** Any number that nothing else in the product locks; it only has to be the same in every process. */
const POSTGRES_LOCK = 7_309_946_020

/** Lists the migrations of an engine in the order in which they are applied: by name, functions last. */
export function listMigrations(engine: DatabaseEngine, folder: URL = MIGRATIONS): readonly Migration[] {
  const directory = new URL(`${engine}/`, folder)
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.sql'))
  return files.sort().map((name) => {
    const sql = readFileSync(new URL(name, directory), 'utf8')
    const checksum = createHash('sha256').update(sql).digest('hex')
    return { name, sql, checksum, isRepeatable: name.startsWith('functions/') }
  })
}

/**
 * Migrates the SQLite file at `path`, made if it is not there.
 *
 * @throws {ChangedMigrationError} when an applied file was edited.
 * @throws {UnknownSchemaError} when another version of SVC has migrated it.
 */
export async function migrateSqlite(path: string, nowMs: number, migrations = listMigrations('sqlite')): Promise<void> {
  const connection = await connectSqlite(path)
  try {
    if (findPending(readAppliedSqlite(connection), migrations).length === 0) return
    for (const migration of migrations) applySqlite(connection, migration, nowMs)
  } finally {
    connection.close()
  }
}

/**
 * Migrates a PostgreSQL database. The lock belongs to the transaction, so that this works through a transaction pooler
 * too.
 *
 * @throws {ChangedMigrationError} when an applied file was edited.
 * @throws {UnknownSchemaError} when another version of SVC has migrated it.
 */
export async function migratePostgres(
  pool: PostgresPool,
  nowMs: number,
  migrations = listMigrations('postgres'),
): Promise<void> {
  const client = await pool.connect()
  try {
    if (findPending(await readAppliedPostgres(client), migrations).length === 0) return
    const begin = beginWithin(pool.limits)
    for (const migration of migrations) await applyPostgres({ client, begin }, migration, nowMs)
  } finally {
    client.release()
  }
}

type Applied = ReadonlyMap<string, string>

/** What is still to be applied. @throws {UnknownSchemaError} @throws {ChangedMigrationError} */
export function findPending(applied: Applied, migrations: readonly Migration[]): readonly Migration[] {
  const known = new Set(migrations.map((migration) => migration.name))
  const unknown = [...applied.keys()].filter((name) => !known.has(name))
  if (unknown.length > 0) throw new UnknownSchemaError(unknown)
  return migrations.filter((migration) => !isApplied(applied, migration))
}

function isApplied(applied: Applied, migration: Migration): boolean {
  const checksum = applied.get(migration.name)
  if (checksum === undefined || checksum === migration.checksum) return checksum !== undefined
  if (!migration.isRepeatable) throw new ChangedMigrationError(migration.name)
  return false
}

function appliedFrom(rows: readonly Record<string, unknown>[]): Applied {
  return new Map(rows.map((row) => [String(row['name']), String(row['checksum'])]))
}

/** Checksums by name; empty where nothing was ever applied. */
export function readAppliedSqlite(connection: DatabaseSync): Applied {
  const table = connection.prepare(`select 1 from sqlite_schema where name = 'schema_migration'`).get()
  if (table === undefined) return new Map()
  return appliedFrom(connection.prepare('select name, checksum from schema_migration').all())
}

function applySqlite(connection: DatabaseSync, migration: Migration, nowMs: number): void {
  connection.exec('begin immediate')
  try {
    connection.exec(CREATE_TABLE('integer'))
    if (!isApplied(readAppliedSqlite(connection), migration)) {
      connection.exec(migration.sql)
      connection
        .prepare(`${NOTE_APPLIED} values (?, ?, ?) ${REPLACE_NOTE}`)
        .run(migration.name, migration.checksum, nowMs)
    }
    connection.exec('commit')
  } catch (error) {
    connection.exec('rollback')
    throw error
  }
}

/** Checksums by name; empty where nothing was ever applied. */
export async function readAppliedPostgres(client: PoolClient): Promise<Applied> {
  const table = await client.query<{ oid: string | null }>(`select to_regclass('schema_migration')::text as oid`)
  if (table.rows[0]?.oid == null) return new Map()
  return appliedFrom((await client.query('select name, checksum from schema_migration')).rows)
}

async function applyPostgres(
  { client, begin }: { readonly client: PoolClient; readonly begin: string },
  migration: Migration,
  nowMs: number,
): Promise<void> {
  await client.query(begin)
  try {
    await client.query('select pg_advisory_xact_lock($1)', [POSTGRES_LOCK])
    await client.query(CREATE_TABLE('bigint'))
    if (!isApplied(await readAppliedPostgres(client), migration)) {
      await client.query(migration.sql)
      await client.query(`${NOTE_APPLIED} values ($1, $2, $3) ${REPLACE_NOTE}`, [
        migration.name,
        migration.checksum,
        nowMs,
      ])
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}
