/** The embedded database: one file, one connection that writes, one that reads, both in the calling thread. */
import { chmodSync, closeSync, existsSync, openSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { Kysely, SqliteDialect, type CompiledQuery, type SqliteDatabase as KyselySqlite } from 'kysely'
import type { Database } from './database.ts'
import { integerColumns } from './integer-columns.ts'
import { migrateSqlite } from './migrate.ts'
import type { Schema } from './schema.ts'
import { translatingSqlite } from './database-failure.ts'
import { createPreparedStatements } from './prepared-statements.ts'
import { requireSqliteSchema } from './require-schema.ts'
import { startCheckpoints, type SqliteCheckpoints } from './sqlite-checkpoints.ts'
import { BUSY_TIMEOUT_MS } from './sqlite-connection.ts'
import { type SqliteStatement, SqliteWriter } from './sqlite-writer.ts'
import { storableParameters } from './storable-text.ts'

/** A `Database` on SQLite, with the writer that the ledger shares. */
export interface SqliteDatabase extends Database {
  readonly engine: 'sqlite'
  readonly path: string
  readonly writer: SqliteWriter
  readonly checkpoints: SqliteCheckpoints
}

/** Readable and writable by its owner alone. */
const PRIVATE = 0o600

/** Statements that a reading connection keeps prepared. */
const PREPARED_MAX = 500

export interface SqliteOptions {
  /** Folder of the database. */
  readonly dataDir: string
  /** The composition root of the thread that makes checkpoints. */
  readonly checkpointWorker: URL
  /** Called when a flush has failed: the database only reads from then on. */
  readonly onWriterLost?: (error: Error) => void
  /** `make` (the default) makes the file and brings its schema up to date; `require` demands both. */
  readonly schema?: 'make' | 'require'
}

/**
 * Opens `svc.db` in a folder.
 *
 * @throws what `require-schema.ts` throws for a schema that is required.
 */
export async function openSqliteDatabase({
  dataDir,
  checkpointWorker,
  onWriterLost,
  schema = 'make',
}: SqliteOptions): Promise<SqliteDatabase> {
  const path = join(dataDir, 'svc.db')
  if (schema === 'require') requireSqliteSchema(path)
  else await makeSqlite(path)

  const writer = new SqliteWriter({ path, onLost: onWriterLost })
  const checkpoints = startCheckpoints(path, checkpointWorker)
  const reader = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS, readBigInts: true })
  const read = new Kysely<Schema>({
    dialect: new SqliteDialect({ database: readerFor(reader) }),
    plugins: [integerColumns],
  })

  return {
    engine: 'sqlite',
    path,
    writer,
    checkpoints,
    read,
    write: (statements, condition) =>
      writer.runStatements(
        statements.map(statementFrom),
        condition === undefined ? undefined : { ...condition, statement: statementFrom(condition.statement) },
      ),
    async close() {
      await checkpoints.close()
      await writer.close()
      await read.destroy()
      // Kysely closes a connection only if it was ever used.
      if (reader.isOpen) reader.close()
    },
  }
}

function statementFrom({ sql, parameters }: CompiledQuery): SqliteStatement {
  return { sql, parameters: storableParameters(parameters) }
}

/** Makes the file if it is not there, and brings its schema up to date. */
async function makeSqlite(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  keepPrivate(path)
  await migrateSqlite(path, Date.now())
}

/** Files that SQLite makes beside the database get the database's own mode. Source: SQLite, temporary files. */
function keepPrivate(path: string): void {
  closeSync(openSync(path, 'a', PRIVATE))
  for (const file of [path, `${path}-wal`, `${path}-shm`]) if (existsSync(file)) chmodSync(file, PRIVATE)
}

/** Kysely's parameters, which are those that the schema's types let through. */
function inputsFrom(parameters: readonly unknown[]): SQLInputValue[] {
  return storableParameters(parameters) as SQLInputValue[]
}

/** Dresses `node:sqlite` as the driver that Kysely knows, and keeps statements prepared. */
function readerFor(connection: DatabaseSync): KyselySqlite {
  const prepare = createPreparedStatements(connection, PREPARED_MAX)
  return {
    close: () => connection.close(),
    prepare(sql) {
      const statement = translatingSqlite(() => prepare(sql))
      return {
        reader: true,
        all: (parameters) => translatingSqlite(() => statement.all(...inputsFrom(parameters))),
        run: (parameters) => translatingSqlite(() => statement.run(...inputsFrom(parameters))),
        iterate: (parameters) => statement.iterate(...inputsFrom(parameters)),
      }
    },
  }
}
