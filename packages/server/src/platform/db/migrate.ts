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
import {
  type Applied,
  findPending,
  type Migration,
  newestOf,
  numberOf,
  oldestIn,
  OlderGatewaysError,
} from './serve-schema.ts'
import { connectSqlite } from './sqlite-connection.ts'

const MIGRATIONS = new URL('../../../migrations/', import.meta.url)

const CREATE_TABLE = (integer: string): string =>
  `create table if not exists schema_migration (
     name text not null primary key, checksum text not null, applied_at ${integer} not null,
     oldest_code ${integer})`

const NOTE_APPLIED = 'insert into schema_migration (name, checksum, applied_at, oldest_code)'
const REPLACE_NOTE = 'on conflict (name) do update set checksum = excluded.checksum, applied_at = excluded.applied_at'
/** Read whole: a store from before `oldest_code` has no such column. */
const READ_APPLIED = 'select * from schema_migration'

/** Any number that nothing else in the product locks; it only has to be the same in every process. */
const POSTGRES_LOCK = 7_309_946_020

/** Lists the migrations of an engine in the order in which they are applied: by name, functions last. */
export function listMigrations(engine: DatabaseEngine, folder: URL = MIGRATIONS): readonly Migration[] {
  const directory = new URL(`${engine}/`, folder)
  return namesIn(directory).map((name) => {
    const sql = readFileSync(new URL(name, directory), 'utf8')
    const checksum = createHash('sha256').update(sql).digest('hex')
    return { name, sql, checksum, oldest: oldestIn(sql), isRepeatable: name.startsWith('functions/') }
  })
}

/** The number of the newest migration that this code has. */
export function knownSchema(engine: DatabaseEngine): number {
  return newestOf(namesIn(new URL(`${engine}/`, MIGRATIONS)).map((name) => ({ name })))
}

function namesIn(directory: URL): readonly string[] {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith('.sql')).toSorted()
}

/**
 * Migrates the SQLite file at `path`, made if it is not there.
 *
 * @throws {ChangedMigrationError} when an applied file was edited.
 * @throws {UnknownSchemaError} when another version of SVC has migrated it, to what this code cannot serve.
 */
export async function migrateSqlite(path: string, nowMs: number, migrations = listMigrations('sqlite')): Promise<void> {
  const connection = await connectSqlite(path)
  try {
    if (findPending(readAppliedSqlite(connection), migrations).length === 0) return
    for (const migration of migrations) applySqlite({ connection, migrations }, migration, nowMs)
  } finally {
    connection.close()
  }
}

/**
 * Migrates a PostgreSQL database. The lock belongs to the transaction, so that this works through a transaction pooler
 * too.
 *
 * @throws {ChangedMigrationError} when an applied file was edited.
 * @throws {UnknownSchemaError} when another version of SVC has migrated it, to what this code cannot serve.
 * @throws {OlderGatewaysError} when gateways run that could not serve what it would become.
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
    for (const migration of migrations) await applyPostgres({ client, begin, migrations }, migration, nowMs)
  } finally {
    client.release()
  }
}

function appliedFrom(rows: readonly Record<string, unknown>[]): Applied {
  return new Map(
    rows.map((row) => {
      const oldest = row['oldest_code'] == null ? null : Number(row['oldest_code'])
      return [String(row['name']), { checksum: String(row['checksum']), oldest }]
    }),
  )
}

/** Empty where nothing was ever applied. */
export function readAppliedSqlite(connection: DatabaseSync): Applied {
  const table = connection.prepare(`select 1 from sqlite_schema where name = 'schema_migration'`).get()
  if (table === undefined) return new Map()
  return appliedFrom(connection.prepare(READ_APPLIED).all())
}

function applySqlite(
  { connection, migrations }: { readonly connection: DatabaseSync; readonly migrations: readonly Migration[] },
  migration: Migration,
  nowMs: number,
): void {
  connection.exec('begin immediate')
  try {
    connection.exec(CREATE_TABLE('integer'))
    if (findPending(readAppliedSqlite(connection), migrations).includes(migration)) {
      connection.exec(migration.sql)
      connection
        .prepare(`${NOTE_APPLIED} values (?, ?, ?, ?) ${REPLACE_NOTE}`)
        .run(migration.name, migration.checksum, nowMs, migration.oldest)
    }
    connection.exec('commit')
  } catch (error) {
    connection.exec('rollback')
    throw error
  }
}

/** Empty where nothing was ever applied. */
export async function readAppliedPostgres(client: PoolClient): Promise<Applied> {
  const table = await client.query<{ oid: string | null }>(`select to_regclass('schema_migration')::text as oid`)
  if (table.rows[0]?.oid == null) return new Map()
  return appliedFrom((await client.query(READ_APPLIED)).rows)
}

async function applyPostgres(
  {
    client,
    begin,
    migrations,
  }: { readonly client: PoolClient; readonly begin: string; readonly migrations: readonly Migration[] },
  migration: Migration,
  nowMs: number,
): Promise<void> {
  await client.query(begin)
  try {
    await client.query('select pg_advisory_xact_lock($1)', [POSTGRES_LOCK])
    await client.query(CREATE_TABLE('bigint'))
    if (findPending(await readAppliedPostgres(client), migrations).includes(migration)) {
      await spareOlderGateways(client, migration, nowMs)
      await client.query(migration.sql)
      await client.query(`${NOTE_APPLIED} values ($1, $2, $3, $4) ${REPLACE_NOTE}`, [
        migration.name,
        migration.checksum,
        nowMs,
        migration.oldest,
      ])
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

/** Refuses what gateways that run could not serve. @throws {OlderGatewaysError} */
async function spareOlderGateways(client: PoolClient, { name, oldest }: Migration, nowMs: number): Promise<void> {
  const least = oldest ?? numberOf(name)
  const leases = await client.query<{ oid: string | null }>(`select to_regclass('process_lease')::text as oid`)
  if (least === null || leases.rows[0]?.oid == null) return
  const { rows } = await client.query<{ count: string; until: string | null }>(
    `select count(*)::text as count, max(lease_until)::text as until from process_lease
      where lease_until > $1 and coalesce(knows_schema, 0) < $2`,
    [nowMs, least],
  )
  const count = Number(rows[0]?.count)
  if (count > 0) throw new OlderGatewaysError({ name, count, until: Number(rows[0]?.until) })
}
