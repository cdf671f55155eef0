/**
 * Keeps the write-ahead log of SQLite short, off the path of commits.
 *
 * A thread copies the log into the database while the writer goes on. Under writing without a pause the log never
 * begins anew by itself; past a hard limit the writer is kept out for one restart, which by then has little left to
 * copy.
 */
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import type { CheckpointMode, CheckpointReply } from './serve-checkpoints.ts'
import { WAL_FILE_BYTES_MAX } from './sqlite-connection.ts'

/** Size of the log's file from which it is copied in the background. */
export const WAL_SOFT_BYTES = 4 * 1024 * 1024
/** Pages in the log at which the log begins anew: then its file is as long as it may stay. */
export const WAL_HARD_PAGES = WAL_FILE_BYTES_MAX / 4_096

const LOOK_EVERY_MS = 1_000

export interface SqliteCheckpoints {
  /** Looks at the log's size now and does what it calls for. */
  run(): Promise<void>
  close(): Promise<void>
}

/**
 * Starts looking once a second. The thread is started only when the log has first grown past the soft limit.
 *
 * @param entry the composition root of the thread.
 */
export function startCheckpoints(path: string, entry: URL): SqliteCheckpoints {
  let thread: CheckpointThread | null = null
  let running: Promise<void> | null = null

  const lookOnce = async (): Promise<void> => {
    const bytes = await sizeOf(`${path}-wal`)
    if (bytes < WAL_SOFT_BYTES) return
    thread ??= startThread(entry, path, () => {
      // The next look starts another one.
      thread = null
    })
    const pages = await thread.checkpoint('passive')
    if (pages >= WAL_HARD_PAGES) await thread.checkpoint('restart')
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
      await thread?.close()
    },
  }
}

interface CheckpointThread {
  /** @returns the pages that the log holds. @throws {Error} when the thread failed or ended. */
  checkpoint(mode: CheckpointMode): Promise<number>
  close(): Promise<void>
}

/** One checkpoint is asked for at a time. */
function startThread(entry: URL, path: string, onEnded: () => void): CheckpointThread {
  const worker = new Worker(entry, { workerData: { path }, name: 'sqlite-checkpoints' })
  const ended = new AbortController()
  worker.on('error', () => undefined)
  worker.once('exit', () => {
    ended.abort(new Error('the thread for checkpoints has ended'))
    onEnded()
  })
  // It keeps the process alive only while a caller waits for it.
  worker.unref()
  return {
    async checkpoint(mode) {
      worker.ref()
      worker.postMessage(mode)
      const [reply] = (await once(worker, 'message', { signal: ended.signal })) as [CheckpointReply]
      worker.unref()
      if ('failure' in reply) throw new Error(reply.failure)
      return reply.pages
    },
    async close() {
      const closed = Promise.race([once(worker, 'message'), once(worker, 'exit')])
      worker.ref()
      worker.postMessage('close')
      await closed
      // It need not end by itself: what `--import` loads is loaded into each thread, and may work on there.
      await worker.terminate()
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
