/**
 * The PostgreSQL database: a pool of plain connections that keeps no state in a session, so transaction poolers may
 * stand between.
 */
import { Kysely, PostgresDialect, type CompiledQuery } from 'kysely'
import { type Pool, types, type CustomTypesConfig } from 'pg'
import type { Database } from './database.ts'
import { integerColumns } from './integer-columns.ts'
import { migratePostgres } from './migrate.ts'
import { openPostgresPool } from './postgres-pool.ts'
import type { Schema } from './schema.ts'

/** A `Database` on PostgreSQL, with the pool that the ledger shares. */
export interface PostgresDatabase extends Database {
  readonly engine: 'postgres'
  readonly pool: Pool
}

/** Connections per process. One is the ledger's at a time; the rest serve reads. */
export const POSTGRES_CONNECTIONS_MAX = 10

const CONNECT_TIMEOUT_MS = 10_000
const IDLE_TIMEOUT_MS = 30_000

const INT8 = 20
const NUMERIC = 1700

/** Connects and brings the schema up to date. @param url a `postgres://` address. */
export async function openPostgresDatabase(url: string): Promise<PostgresDatabase> {
  const pool = openPostgresPool({
    connectionString: url,
    max: POSTGRES_CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    types: integerTypes,
  })
  try {
    await migratePostgres(pool, Date.now())
  } catch (error) {
    await pool.end()
    throw error
  }
  const read = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }), plugins: [integerColumns] })
  return {
    engine: 'postgres',
    pool,
    read,
    write: (statements) => runStatements(pool, statements),
    async close() {
      await read.destroy()
      // Kysely ends a pool only if it was ever asked for a connection.
      if (!pool.ended) await pool.end()
    },
  }
}

/** Reads whole numbers as `bigint` whatever their column; the column's name decides later whether they stay so. */
const integerTypes: CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === INT8) return BigInt
    if (oid === NUMERIC) return parseNumeric
    return types.getTypeParser(oid, format)
  },
}

function parseNumeric(text: string): bigint | number {
  return /^-?\d+$/.test(text) ? BigInt(text) : Number(text)
}

async function runStatements(pool: Pool, statements: readonly CompiledQuery[]): Promise<readonly number[]> {
  const client = await pool.connect()
  let broken = false
  try {
    await client.query('begin')
    const changed: number[] = []
    for (const { sql, parameters } of statements) {
      const result = await client.query(sql, [...parameters])
      changed.push(result.rowCount ?? 0)
    }
    await client.query('commit')
    return changed
  } catch (error) {
    await client.query('rollback').catch(() => {
      broken = true
    })
    throw error
  } finally {
    client.release(broken)
  }
}
