/**
 * Keeps the write-ahead log of SQLite short, off the path of commits.
 *
 * A second thread copies the log into the database while the writer goes on. Under writing without a pause the log
 * never
 * begins anew by itself; past a hard limit the writer waits for one restart, which by then has little left to copy.
 */
import { stat } from 'node:fs/promises'
import { WAL_FILE_BYTES_MAX } from './sqlite-connection.ts'
import { SqliteWriter } from './sqlite-writer.ts'

/** Size of the log's file from which it is copied in the background. */
export const WAL_SOFT_BYTES = 4 * 1024 * 1024
/** Pages in the log at which the writer itself begins it anew: then its file is as long as it may stay. */
export const WAL_HARD_PAGES = WAL_FILE_BYTES_MAX / 4_096

const LOOK_EVERY_MS = 1_000

export interface SqliteCheckpoints {
  /** Looks at the log's size now and does what it calls for. */
  run(): Promise<void>
  close(): Promise<void>
}

/** Starts looking once a second. The second thread is started only when the log has first grown past the soft limit. */
export function startCheckpoints(path: string, entry: URL, writer: SqliteWriter): SqliteCheckpoints {
  let checkpointer: SqliteWriter | null = null
  let running: Promise<void> | null = null

  const lookOnce = async (): Promise<void> => {
    const bytes = await sizeOf(`${path}-wal`)
    if (bytes < WAL_SOFT_BYTES) return
    checkpointer ??= new SqliteWriter(entry, { path }, () => {
      // The next look starts another one.
      checkpointer = null
    })
    const pages = await checkpointer.checkpoint('passive')
    if (pages >= WAL_HARD_PAGES) await writer.checkpoint('restart')
  }
  const run = (): Promise<void> => {
    running ??= lookOnce().finally(() => {
      running = null
    })
    return running
  }

  // A failed look is made good by the next one; a broken disk shows itself in the commits.
  const timer = setInterval(() => void run().catch(() => {}), LOOK_EVERY_MS).unref()
  return {
    run,
    async close() {
      clearInterval(timer)
      await running?.catch(() => {})
      await checkpointer?.close()
    },
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size
  } catch {
    return 0
  }
}
