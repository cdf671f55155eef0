/**
 * The thread side of the SQLite writer: the only connection that writes, one request after the other.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { MessagePort } from 'node:worker_threads'
import { BUSY_TIMEOUT_MS, prepareSqliteWriter } from './sqlite-connection.ts'

/** A statement with its values, as it crosses to the thread. */
export interface SqliteStatement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** What the thread is asked to do. A `batch` is understood by the ledger alone. */
export type SqliteWriterWork =
  | { readonly kind: 'batch'; readonly batch: string; readonly isFlushed: boolean }
  | { readonly kind: 'statements'; readonly statements: readonly SqliteStatement[] }
  | { readonly kind: 'checkpoint'; readonly mode: 'passive' | 'restart' }
  | { readonly kind: 'close' }

export interface SqliteWriterRequest {
  readonly id: number
  readonly work: SqliteWriterWork
}

export type SqliteWriterReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: { readonly message: string; readonly errcode: number } }

/** Applies batches, each inside a transaction that is already open. */
export interface BatchApplier {
  apply(batch: string): string
  /** Called when a transaction was rolled back, and after other statements: nothing that it knows of rows is sure. */
  forget(): void
}

/** Statements that are kept prepared; the least recently made one leaves first. */
const PREPARED_MAX = 200

/** Serves requests from `port` until `close`. `createApplier` prepares the ledger's statements on this connection. */
export function serveSqliteWriter(
  port: MessagePort,
  path: string,
  createApplier: (connection: DatabaseSync) => BatchApplier,
): void {
  const connection = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
  prepareSqliteWriter(connection)
  const transaction = createTransaction(connection)
  const setFlush = createFlushSwitch(connection)
  const prepared = new Map<string, StatementSync>()
  let batches: BatchApplier | null = null

  const perform = (work: SqliteWriterWork): unknown => {
    switch (work.kind) {
      case 'batch': {
        batches ??= createApplier(connection)
        const applier = batches
        setFlush(work.isFlushed)
        return transaction(() => applier.apply(work.batch))
      }
      case 'statements':
        batches?.forget()
        setFlush(true)
        return transaction(() => work.statements.map((statement) => runStatement(connection, prepared, statement)))
      case 'checkpoint':
        return Number(connection.prepare(`pragma wal_checkpoint(${work.mode})`).get()?.['log'])
      case 'close':
        connection.close()
        return null
    }
  }

  port.on('message', (request: SqliteWriterRequest) => {
    let reply: SqliteWriterReply
    try {
      reply = { id: request.id, result: perform(request.work) }
    } catch (error) {
      batches?.forget()
      reply = { id: request.id, failure: failureOf(error) }
    }
    port.postMessage(reply)
    if (request.work.kind === 'close') port.close()
  })
}

/**
 * Decides of the next transactions whether each is flushed to the disk as it commits. One that is not is flushed by the
 * next that is: the log is one file, in order. Source: SQLite, PRAGMA synchronous.
 */
function createFlushSwitch(connection: DatabaseSync): (isFlushed: boolean) => void {
  let present = true
  return (isFlushed) => {
    if (isFlushed === present) return
    connection.exec(isFlushed ? 'pragma synchronous = full' : 'pragma synchronous = normal')
    present = isFlushed
  }
}

function createTransaction(connection: DatabaseSync): <Result>(work: () => Result) => Result {
  const begin = connection.prepare('begin immediate')
  const commit = connection.prepare('commit')
  const rollback = connection.prepare('rollback')
  return (work) => {
    begin.run()
    try {
      const result = work()
      commit.run()
      return result
    } catch (error) {
      if (connection.isTransaction) rollback.run()
      throw error
    }
  }
}

function runStatement(
  connection: DatabaseSync,
  prepared: Map<string, StatementSync>,
  { sql, parameters }: SqliteStatement,
): number {
  let statement = prepared.get(sql)
  if (statement === undefined) {
    statement = connection.prepare(sql)
    const oldest = prepared.keys().next()
    if (prepared.size >= PREPARED_MAX && oldest.done !== true) prepared.delete(oldest.value)
    prepared.set(sql, statement)
  }
  return Number(statement.run(...(parameters as SQLInputValue[])).changes)
}

function failureOf(error: unknown): { message: string; errcode: number } {
  if (!(error instanceof Error)) return { message: String(error), errcode: 0 }
  return { message: error.message, errcode: 'errcode' in error ? Number(error.errcode) : 0 }
}
