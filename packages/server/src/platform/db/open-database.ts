import { openPostgresDatabase, type PostgresDatabase, type PostgresOptions } from './postgres-database.ts'
import { openSqliteDatabase, type SqliteDatabase, type SqliteOptions } from './sqlite-database.ts'

/** A database that is open, on either engine. `engine` tells which. */
export type OpenDatabase = SqliteDatabase | PostgresDatabase

export interface OpenDatabaseOptions extends PostgresOptions, SqliteOptions {
  /** Address of a PostgreSQL database; null opens the embedded one. */
  readonly url: string | null
}

/** Opens a database, and brings its schema up to date or demands that it is. */
export function openDatabase(options: OpenDatabaseOptions): Promise<OpenDatabase> {
  return options.url === null ? openSqliteDatabase(options) : openPostgresDatabase(options.url, options)
}
