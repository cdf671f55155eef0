/**
 * The PostgreSQL database: a pool of plain connections that keeps no state in a session, so it also works through
 * transaction poolers.
 */
import { Kysely, PostgresDialect } from 'kysely'
import { types, type CustomTypesConfig } from 'pg'
import { awaitPostgres, type PostgresPatience } from './await-postgres.ts'
import type { Database } from './database.ts'
import { integerColumns } from './integer-columns.ts'
import { migratePostgres } from './migrate.ts'
import { PATIENT_LIMITS, REQUEST_LIMITS } from './postgres-limits.ts'
import { PostgresPool, type PostgresPoolOptions } from './postgres-pool.ts'
import { repeatReads } from './postgres-reads.ts'
import { runInTransaction } from './postgres-transaction.ts'
import { requirePostgresSchema } from './require-schema.ts'
import type { Schema } from './schema.ts'

/** A `Database` on PostgreSQL, with the pool that the ledger shares. */
export interface PostgresDatabase extends Database {
  readonly engine: 'postgres'
  readonly pool: PostgresPool
  /** Opens another pool on the same database, for a caller that reads values in another way. Its owner ends it. */
  openPool(options: Pick<PostgresPoolOptions, 'max' | 'onFailure'>): PostgresPool
}

export interface PostgresOptions {
  /** Whether statements may take as long as an audit's; absent: as long as a request may wait. */
  readonly isPatient?: boolean
  /** Absent: the database has to be there. */
  readonly patience?: PostgresPatience
  /** `make` (the default) brings the schema up to date; `require` demands that it is. */
  readonly schema?: 'make' | 'require'
}

/** Connections per process. One is the ledger's at a time; the rest serve reads. */
export const POSTGRES_CONNECTIONS_MAX = 10

const IMPATIENT: PostgresPatience = { waitMs: 0, onWaiting: () => undefined }

const INT8 = 20
const NUMERIC = 1700

/**
 * Connects, and brings the schema up to date or demands that it is.
 *
 * @param url a `postgres://` address.
 * @throws {DatabaseUnavailableError} when it is not there, also after `patience`.
 * @throws what `require-schema.ts` throws for a schema that is required.
 */
export async function openPostgresDatabase(
  url: string,
  { isPatient = false, patience = IMPATIENT, schema = 'make' }: PostgresOptions = {},
): Promise<PostgresDatabase> {
  const prepare = schema === 'make' ? (pool: PostgresPool) => migratePostgres(pool, Date.now()) : requirePostgresSchema
  const { takesSettings } = await awaitPostgres(url, patience, prepare)
  const limits = isPatient ? PATIENT_LIMITS : REQUEST_LIMITS
  const pool = new PostgresPool({ url, limits, takesSettings, max: POSTGRES_CONNECTIONS_MAX, types: integerTypes })
  const read = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: repeatReads(pool) }),
    plugins: [integerColumns],
  })
  return {
    engine: 'postgres',
    pool,
    read,
    write: (statements, condition) => runInTransaction(pool, statements, condition),
    openPool: (options) => new PostgresPool({ ...options, url, limits, takesSettings }),
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
