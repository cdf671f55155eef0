/** The schema as a step of its own: what a start does to a store, without the gateway. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { awaitPostgres, type PostgresPatience } from './await-postgres.ts'
import { lockDataFolder } from './data-folder-lock.ts'
import { listMigrations, migratePostgres, migrateSqlite, readAppliedPostgres, readAppliedSqlite } from './migrate.ts'
import type { PostgresPool } from './postgres-pool.ts'
import { MissingStoreError } from './require-schema.ts'
import { findPending } from './serve-schema.ts'
import { BUSY_TIMEOUT_MS } from './sqlite-connection.ts'

export interface StoreToMigrate {
  /** Address of a PostgreSQL database; null means the embedded one. */
  readonly url: string | null
  readonly dataDir: string
  readonly patience: PostgresPatience
  /** Whether it only says what it would apply. */
  readonly isDryRun: boolean
}

/**
 * Brings a store to the present schema. A PostgreSQL database may be empty; an embedded store has to be there, as only
 * a gateway makes its folder, and no gateway may run on it.
 *
 * @returns the names of the migrations that were applied, or would be, in their order; none where it is up to date.
 * @throws {MissingStoreError} @throws {DataFolderInUseError} @throws {UnknownSchemaError} @throws {ChangedMigrationError}
 * @throws {DatabaseUnavailableError} when it is not there, also after the patience.
 */
export async function migrateStore({ url, dataDir, patience, isDryRun }: StoreToMigrate): Promise<readonly string[]> {
  if (url === null) return migrateEmbedded(dataDir, isDryRun)
  let pending: readonly string[] = []
  await awaitPostgres(url, patience, async (pool) => {
    pending = await pendingOf(pool)
    if (!isDryRun) await migratePostgres(pool, Date.now())
  })
  return pending
}

async function pendingOf(pool: PostgresPool): Promise<readonly string[]> {
  const client = await pool.connect()
  try {
    return findPending(await readAppliedPostgres(client), listMigrations('postgres')).map(({ name }) => name)
  } finally {
    client.release()
  }
}

async function migrateEmbedded(dataDir: string, isDryRun: boolean): Promise<readonly string[]> {
  const path = join(dataDir, 'svc.db')
  if (statSync(path, { throwIfNoEntry: false }) === undefined) throw new MissingStoreError()
  if (isDryRun) return pendingIn(path)
  const unlock = lockDataFolder(dataDir)
  try {
    const pending = pendingIn(path)
    await migrateSqlite(path, Date.now())
    return pending
  } finally {
    unlock()
  }
}

function pendingIn(path: string): readonly string[] {
  const connection = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
  try {
    return findPending(readAppliedSqlite(connection), listMigrations('sqlite')).map(({ name }) => name)
  } finally {
    connection.close()
  }
}
