/** The thread that copies the write-ahead log into the database: the calling thread only asks. */
import { DatabaseSync } from 'node:sqlite'
import type { MessagePort } from 'node:worker_threads'
import { BUSY_TIMEOUT_MS, prepareSqliteWriter } from './sqlite-connection.ts'

/**
 * `passive` copies what it can beside writers and readers; `restart` keeps writers out until all is copied, so that the
 * log begins anew. Source: SQLite, PRAGMA wal_checkpoint.
 */
export type CheckpointMode = 'passive' | 'restart'

/** What the thread answers to a mode: the pages that the log holds. */
export type CheckpointReply = { readonly pages: number } | { readonly failure: string }

/** Makes the checkpoints that it is asked for, until the message `close`: its answer says that the database is closed. */
export function serveCheckpoints(port: MessagePort, path: string): void {
  const connection = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
  prepareSqliteWriter(connection)
  port.on('message', (asked: CheckpointMode | 'close') => {
    if (asked === 'close') {
      connection.close()
      port.postMessage({ pages: 0 } satisfies CheckpointReply)
    } else port.postMessage(checkpoint(connection, asked))
  })
}

function checkpoint(connection: DatabaseSync, mode: CheckpointMode): CheckpointReply {
  try {
    return { pages: Number(connection.prepare(`pragma wal_checkpoint(${mode})`).get()?.['log']) }
  } catch (error) {
    return { failure: String(error) }
  }
}
