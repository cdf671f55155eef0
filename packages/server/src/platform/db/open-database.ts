import { openPostgresDatabase, type PostgresDatabase, type PostgresOptions } from './postgres-database.ts'
import { openSqliteDatabase, type SqliteDatabase } from './sqlite-database.ts'

/** A database that is open, on either engine. `engine` tells which. */
export type OpenDatabase = SqliteDatabase | PostgresDatabase

export interface OpenDatabaseOptions extends PostgresOptions {
  /** Address of a PostgreSQL database; null opens the embedded one. */
  readonly url: string | null
  /** Folder of the embedded database. */
  readonly dataDir: string
  /** The composition root of the thread that makes SQLite's checkpoints. */
  readonly checkpointWorker: URL
  /** Called when the embedded database could not be flushed; every write fails from then on. */
  readonly onWriterLost?: (error: Error) => void
}

/** Opens a database and brings its schema up to date. */
export function openDatabase(options: OpenDatabaseOptions): Promise<OpenDatabase> {
  return options.url === null
    ? openSqliteDatabase(options.dataDir, options.checkpointWorker, options.onWriterLost)
    : openPostgresDatabase(options.url, options)
}
