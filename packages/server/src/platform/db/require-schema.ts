/**
 * Looks at a store without changing it: operator programs work on the store that a gateway has made, and a mistyped
 * folder or address must not become a new, empty one.
 */
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { listMigrations, readAppliedPostgres, readAppliedSqlite } from './migrate.ts'
import type { PostgresPool } from './postgres-pool.ts'
import { type Applied, findPending } from './serve-schema.ts'
import { BUSY_TIMEOUT_MS } from './sqlite-connection.ts'

/** No gateway has made a store here: there is no file, or nothing in the database. */
export class MissingStoreError extends Error {
  constructor() {
    super('There is no store.')
    this.name = 'MissingStoreError'
  }
}

/** An earlier version has made the store, and no gateway of this version has started on it. */
export class OutdatedStoreError extends Error {
  constructor() {
    super('The store has the schema of an earlier version.')
    this.name = 'OutdatedStoreError'
  }
}

/**
 * Demands that the SQLite file at `path` has the present schema.
 *
 * @throws {MissingStoreError} @throws {OutdatedStoreError} @throws {UnknownSchemaError} @throws {ChangedMigrationError}
 */
export function requireSqliteSchema(path: string): void {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) throw new MissingStoreError()
  const connection = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
  try {
    requireApplied(readAppliedSqlite(connection), 'sqlite')
  } finally {
    connection.close()
  }
}

/**
 * Demands that a PostgreSQL database has the present schema.
 *
 * @throws {MissingStoreError} @throws {OutdatedStoreError} @throws {UnknownSchemaError} @throws {ChangedMigrationError}
 */
export async function requirePostgresSchema(pool: PostgresPool): Promise<void> {
  const client = await pool.connect()
  try {
    requireApplied(await readAppliedPostgres(client), 'postgres')
  } finally {
    client.release()
  }
}

function requireApplied(applied: Applied, engine: 'sqlite' | 'postgres'): void {
  if (applied.size === 0) throw new MissingStoreError()
  if (findPending(applied, listMigrations(engine)).length > 0) throw new OutdatedStoreError()
}
