/**
 * The connection that writes to the embedded database.
 *
 * A transaction runs in the calling thread: it changes pages in memory and hands them to the system, which takes less
 * time than another thread would take to wake up. What takes long, the flush to the disk, happens beside it.
 * Source: decision 0062.
 */
import { closeSync, fdatasync, openSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { setTimeout as waitMs } from 'node:timers/promises'
import { promisify } from 'node:util'
import { DatabaseUnavailableError } from '../errors/database-unavailable-error.ts'
import { sqliteFailureOf } from './database-failure.ts'
import { createPreparedStatements } from './prepared-statements.ts'
import { BUSY_TIMEOUT_MS, isBusy, prepareSqliteWriter } from './sqlite-connection.ts'

export interface SqliteStatement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** A write takes place where the statement changes a row. */
export interface SqliteCondition {
  readonly statement: SqliteStatement
  readonly unmet: () => Error
}

export interface SqliteWriterOptions {
  readonly path: string
  /**
   * Called once when a flush has failed: what the disk holds is unknown from then on, and nothing is written any more.
   */
  readonly onLost?: ((error: Error) => void) | undefined
  /** Flushes an open file to the disk; absent: `fdatasync`. */
  readonly flush?: ((file: number) => Promise<void>) | undefined
}

/** How a transaction is written. */
export interface TransactOptions {
  readonly isFlushed: boolean
  readonly isApart?: boolean
}

/** Statements that are kept prepared. */
const PREPARED_MAX = 200
/** How often a lock that another connection has is asked for again, in milliseconds. Source: own choice. */
const BUSY_RETRY_MS = 1

/** One writing connection. Its transactions never overlap. */
export class SqliteWriter {
  /** For statements that are run inside of `transact`. */
  readonly connection: DatabaseSync
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  readonly #rollback: StatementSync
  readonly #prepare: (sql: string) => StatementSync
  readonly #path: string
  readonly #flush: (file: number) => Promise<void>
  readonly #onLost: (error: Error) => void
  #log: number | null = null
  #present: Promise<void> = Promise.resolve()
  #next: Promise<void> | null = null
  #lost: DatabaseUnavailableError | null = null
  #commits = 0
  #running = 0
  #idle: (() => void) | null = null

  constructor({ path, onLost = () => undefined, flush = promisify(fdatasync) }: SqliteWriterOptions) {
    this.#path = path
    this.#onLost = onLost
    this.#flush = flush
    this.connection = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
    prepareSqliteWriter(this.connection)
    // A commit does not flush the log: that is done here, beside it. Checkpoints still do before they copy anything.
    this.connection.exec('pragma synchronous = normal')
    // The thread must not sleep where another process writes: a lock is asked for again instead.
    this.connection.exec('pragma busy_timeout = 0')
    this.#prepare = createPreparedStatements(this.connection, PREPARED_MAX)
    this.#begin = this.connection.prepare('begin immediate')
    this.#commit = this.connection.prepare('commit')
    this.#rollback = this.connection.prepare('rollback')
  }

  /** Transactions that were committed, but those apart. A cache of rows learns by it whether another caller has written. */
  get commits(): number {
    return this.#commits
  }

  /**
   * Runs `work` in one transaction, whole or not at all.
   *
   * @param work changes the database through `connection`, without a pause. It runs anew where the lock was taken.
   * @param options.isApart whether it changes only tables of which nothing is kept in memory; absent: it may change any.
   * @param options.isFlushed whether to wait until it is on the disk. Without, it outlives a crash of the process, and
   *   a loss of power once anything later was flushed: the log is one file, in order.
   * @throws {DatabaseUnavailableError} when SQLite could not do it, and always once a flush has failed.
   * @throws what `work` threw otherwise.
   */
  async transact<Result>(work: () => Result, { isFlushed, isApart = false }: TransactOptions): Promise<Result> {
    this.#running++
    try {
      const result = await this.#retry(work, isApart)
      if (isFlushed) await this.#flushed()
      return result
    } catch (error) {
      throw sqliteFailureOf(error)
    } finally {
      this.#running--
      if (this.#running === 0) this.#idle?.()
    }
  }

  /** Runs statements in order in one transaction, flushed, if `condition` holds. @returns rows changed by each. */
  runStatements(statements: readonly SqliteStatement[], condition?: SqliteCondition): Promise<readonly number[]> {
    const work = (): readonly number[] => {
      if (condition !== undefined && this.#run(condition.statement) === 0) throw condition.unmet()
      return statements.map((statement) => this.#run(statement))
    }
    return this.transact(work, { isFlushed: true })
  }

  /** Closes the connection once everything asked before is done. */
  async close(): Promise<void> {
    if (this.#running > 0) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#idle = resolve
      await promise
    }
    this.connection.close()
    if (this.#log !== null) closeSync(this.#log)
    this.#log = null
  }

  async #retry<Result>(work: () => Result, isApart: boolean): Promise<Result> {
    for (let waitedMs = 0; ; waitedMs += BUSY_RETRY_MS) {
      if (this.#lost !== null) throw this.#lost
      try {
        return this.#attempt(work, isApart)
      } catch (error) {
        if (!isBusy(error) || waitedMs >= BUSY_TIMEOUT_MS) throw error
      }
      await waitMs(BUSY_RETRY_MS)
    }
  }

  #attempt<Result>(work: () => Result, isApart: boolean): Result {
    this.#begin.run()
    try {
      const result = work()
      this.#commit.run()
      if (!isApart) this.#commits++
      return result
    } catch (error) {
      if (this.connection.isTransaction) this.#rollback.run()
      throw error
    }
  }

  #run({ sql, parameters }: SqliteStatement): number {
    return Number(this.#prepare(sql).run(...(parameters as SQLInputValue[])).changes)
  }

  /** Resolves at the end of a flush that began after this call; one flush is enough for all that wait for it. */
  #flushed(): Promise<void> {
    this.#next ??= this.#flushNext()
    return this.#next
  }

  async #flushNext(): Promise<void> {
    await this.#present
    this.#next = null
    this.#present = this.#flushLog()
    await this.#present
    if (this.#lost !== null) throw this.#lost
  }

  /** Never rejects: a failed flush ends the writer. The system may forget what it could not write, and say nothing. */
  async #flushLog(): Promise<void> {
    try {
      // The log is one file for as long as this connection is open.
      this.#log ??= openSync(`${this.#path}-wal`, 'r+')
      await this.#flush(this.#log)
    } catch (error) {
      if (this.#lost !== null) return
      const reason = new Error('what was written cannot be flushed to the disk', { cause: error })
      this.#lost = new DatabaseUnavailableError('storage', reason)
      this.#onLost(reason)
    }
  }
}
