/**
 * The caller's side of the SQLite writer thread.
 */
import { Worker } from 'node:worker_threads'
import type {
  SqliteStatement,
  SqliteWriterReply,
  SqliteWriterRequest,
  SqliteWriterWork,
} from './sqlite-writer-thread.ts'

/**
 * A write that the thread could not do. `errcode` is SQLite's extended result code, 0 when the failure is not SQLite's.
 */
export class SqliteWriteError extends Error {
  readonly errcode: number

  constructor(message: string, errcode: number) {
    super(message)
    this.name = 'SqliteWriteError'
    this.errcode = errcode
  }
}

/**
 * What the thread is started with. A checkpointer copies the log into the database while the writer goes on writing.
 */
export interface SqliteWriterSettings {
  readonly path: string
}

interface Waiting {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

/** A thread with one writing connection. It starts at once and answers in the order of the requests. */
export class SqliteWriter {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0
  #ended: Error | null = null
  #isClosing = false
  readonly #onLost: (error: Error) => void

  /**
   * @param entry the composition root that serves the thread.
   * @param onLost called once when the thread ends without having been closed: nothing is written any more.
   */
  constructor(entry: URL, settings: SqliteWriterSettings, onLost: (error: Error) => void) {
    this.#onLost = onLost
    this.#worker = new Worker(entry, { workerData: settings, name: 'sqlite-writer' })
    this.#worker.on('message', (reply: SqliteWriterReply) => this.#settle(reply))
    this.#worker.on('error', (error: unknown) => this.#end(`the SQLite writer thread failed: ${String(error)}`))
    this.#worker.on('exit', () => this.#end('the SQLite writer thread has ended'))
    this.#worker.unref()
  }

  /**
   * Applies a ledger batch in one transaction. The form of batch and result is the ledger's own.
   *
   * Without a flush the batch outlives a crash of the process, and a loss of power once anything later was flushed.
   */
  async applyBatch(batch: string, { isFlushed }: { readonly isFlushed: boolean }): Promise<string> {
    return (await this.#request({ kind: 'batch', batch, isFlushed })) as string
  }

  /** Runs statements in one transaction. @returns rows changed by each. */
  async runStatements(statements: readonly SqliteStatement[]): Promise<readonly number[]> {
    return (await this.#request({ kind: 'statements', statements })) as readonly number[]
  }

  /**
   * Copies the write-ahead log into the database; `restart` also waits for readers, so that the log begins anew.
   * @returns the pages that the log holds.
   */
  async checkpoint(mode: 'passive' | 'restart'): Promise<number> {
    return (await this.#request({ kind: 'checkpoint', mode })) as number
  }

  /** Ends the thread once everything asked before is done. */
  async close(): Promise<void> {
    if (this.#ended !== null) return
    this.#isClosing = true
    await this.#request({ kind: 'close' })
    await this.#worker.terminate()
  }

  #request(work: SqliteWriterWork): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    if (this.#ended !== null) {
      reject(this.#ended)
      return promise
    }
    const request: SqliteWriterRequest = { id: ++this.#lastId, work }
    // The thread keeps the process alive only while somebody waits for it.
    if (this.#waiting.size === 0) this.#worker.ref()
    this.#waiting.set(request.id, { resolve, reject })
    this.#worker.postMessage(request)
    return promise
  }

  #settle(reply: SqliteWriterReply): void {
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    if (this.#waiting.size === 0) this.#worker.unref()
    if ('failure' in reply) waiting?.reject(new SqliteWriteError(reply.failure.message, reply.failure.errcode))
    else waiting?.resolve(reply.result)
  }

  #end(reason: string): void {
    if (this.#ended !== null) return
    this.#ended = new SqliteWriteError(reason, 0)
    if (!this.#isClosing) this.#onLost(this.#ended)
    for (const waiting of this.#waiting.values()) waiting.reject(this.#ended)
    this.#waiting.clear()
  }
}
