import { setTimeout as wait } from 'node:timers/promises'
import { DatabaseSync } from 'node:sqlite'

/** How long a statement waits for another process's write to end. */
export const BUSY_TIMEOUT_MS = 10_000

/**
 * The file of the write-ahead log is kept up to this size and written over: a commit that makes it longer costs twice
 * as much, since the disk has to note the file's new length, too.
 */
export const WAL_FILE_BYTES_MAX = 64 * 1024 * 1024

const WAL_ATTEMPTS_MAX = 100
const WAL_RETRY_MS = 50

/**
 * Opens a database file for reading and writing in WAL mode, with every commit flushed to the disk.
 *
 * The first switch of a new file to WAL does not wait for other processes that do the same, so it is tried again.
 */
export async function connectSqlite(path: string): Promise<DatabaseSync> {
  const connection = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
  for (let attempt = 1; ; attempt++) {
    try {
      prepareSqliteWriter(connection)
      return connection
    } catch (error) {
      if (attempt >= WAL_ATTEMPTS_MAX || !isBusy(error)) {
        connection.close()
        throw error
      }
      await wait(WAL_RETRY_MS)
    }
  }
}

/** Sets what every writing connection needs. Checkpoints are left to their thread, off the path of commits. */
export function prepareSqliteWriter(connection: DatabaseSync): void {
  connection.exec('pragma journal_mode = wal')
  connection.exec('pragma synchronous = full')
  connection.exec('pragma wal_autocheckpoint = 0')
  connection.exec(`pragma journal_size_limit = ${WAL_FILE_BYTES_MAX}`)
  // What is deleted is overwritten where its page is written anyway: an erased name is gone from the file, too.
  connection.exec('pragma secure_delete = fast')
  connection.exec('pragma temp_store = memory')
  // 32 MiB: a batch touches the ends of a dozen trees, and pages that fell out of the cache double its cost.
  connection.exec('pragma cache_size = -32768')
}

const SQLITE_BUSY = 5

/** Whether another connection has the lock that was asked for. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY
}
