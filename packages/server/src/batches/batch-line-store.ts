/** The statements about `batch_line`, and those about `batch` that go with them. */
import type { CompiledQuery } from 'kysely'
import type { Database } from '../platform/db/database.ts'
import type { BatchLineTable } from '../platform/db/work-schema.ts'
import type { OwnedBatch } from './batch-store.ts'
import { writeIf } from './write-if.ts'

/** A line that was begun. */
export interface BatchLine {
  readonly batchId: string
  /** Counted from 0, blank lines included. */
  readonly line: number
  /** Where its text is in the file, in bytes. */
  readonly startAt: number
  readonly byteLength: number
  /** The request that works on it. */
  readonly requestId: string
  readonly processId: string
  /** How often it was asked for, this time included. */
  readonly attempts: number
  /** Sealed; null while there is none. */
  readonly result: string | null
}

/** Where the file is read on. */
export interface ReadOn {
  readonly nextLine: number
  readonly nextOffset: number
}

export interface BatchLineStore {
  /** Begins a line. @returns false when the batch is not in progress any more, or another process has it. */
  begin(owned: OwnedBatch, line: BatchLine, readOn: ReadOn): Promise<boolean>
  /** Lets another request work on it, and forgets its result. @returns false when another one does already. */
  restart(line: BatchLine, anew: Pick<BatchLine, 'requestId' | 'processId' | 'attempts'>): Promise<boolean>
  /** Writes down what came of it. @returns false when another request works on it. */
  keep(line: BatchLine, result: string): Promise<boolean>
  /** Ends it and counts it. @returns false when it has ended, or another request works on it. */
  end(
    line: BatchLine,
    ended: { readonly state: 'completed' | 'failed'; readonly result: string; readonly isCounted: boolean },
  ): Promise<boolean>
  /** What came of a line so far; null where there is nothing. */
  findResult(line: BatchLine): Promise<string | null>
  /** Those that have not ended, in their order. */
  listRunning(batchId: string): Promise<readonly BatchLine[]>
  /** Results of those that have, in their order, after a line. */
  listEnded(
    batchId: string,
    state: 'completed' | 'failed',
    page: { readonly after: number; readonly limit: number },
  ): Promise<readonly Pick<BatchLine, 'line' | 'result'>[]>
  /** The statement that forgets the lines of a batch. */
  removal(batchId: string): CompiledQuery
}

/** Makes the store. */
export function createBatchLineStore(database: Pick<Database, 'read' | 'write'>): BatchLineStore {
  const { read, write } = database
  /** The line while a request works on it. */
  const running = ({ batchId, line, requestId }: BatchLine) =>
    read
      .updateTable('batch_line')
      .where('batch_id', '=', batchId)
      .where('line', '=', line)
      .where('request_id', '=', requestId)
      .where('state', '=', 'running')
  return {
    begin({ batchId, owner }, line, { nextLine, nextOffset }) {
      const advance = read
        .updateTable('batch')
        .set({ next_line: nextLine, next_offset: nextOffset })
        .where('batch_id', '=', batchId)
        .where('owner', '=', owner)
        .where('state', '=', 'in_progress')
        .where('next_line', '<=', line.line)
      return writeIf(database, advance.compile(), [read.insertInto('batch_line').values(rowOf(line)).compile()])
    },
    async restart(line, { requestId, processId, attempts }) {
      const statement = running(line).set({ request_id: requestId, process_id: processId, attempts, result: null })
      const [changed] = await write([statement.compile()])
      return changed === 1
    },
    async keep(line, result) {
      const [changed] = await write([running(line).set({ result }).compile()])
      return changed === 1
    },
    end(line, { state, result, isCounted }) {
      const count = read
        .updateTable('batch')
        .set((column) => ({
          kept_bytes: column('kept_bytes', '+', result.length),
          ...(state === 'completed' ? { lines_completed: column('lines_completed', '+', 1) } : {}),
          ...(state === 'failed' && isCounted ? { lines_failed: column('lines_failed', '+', 1) } : {}),
        }))
        .where('batch_id', '=', line.batchId)
      return writeIf(database, running(line).set({ state, result }).compile(), [count.compile()])
    },
    async findResult({ batchId, line }) {
      const query = read.selectFrom('batch_line').select('result').where('batch_id', '=', batchId)
      return (await query.where('line', '=', line).executeTakeFirst())?.result ?? null
    },
    async listRunning(batchId) {
      const query = read.selectFrom('batch_line').selectAll().where('batch_id', '=', batchId)
      return (await query.where('state', '=', 'running').orderBy('line').execute()).map(lineFrom)
    },
    listEnded: (batchId, state, { after, limit }) =>
      read
        .selectFrom('batch_line')
        .select(['line', 'result'])
        .where('batch_id', '=', batchId)
        .where('state', '=', state)
        .where('line', '>', after)
        .orderBy('line')
        .limit(limit)
        .execute(),
    removal: (batchId) => read.deleteFrom('batch_line').where('batch_id', '=', batchId).compile(),
  }
}

function rowOf(line: BatchLine): BatchLineTable {
  return {
    ...{ batch_id: line.batchId, line: line.line, start_at: line.startAt, byte_length: line.byteLength },
    ...{ request_id: line.requestId, process_id: line.processId, attempts: line.attempts },
    ...{ state: 'running', result: line.result },
  }
}

function lineFrom(row: BatchLineTable): BatchLine {
  return {
    ...{ batchId: row.batch_id, line: row.line, startAt: row.start_at, byteLength: row.byte_length },
    ...{ requestId: row.request_id, processId: row.process_id, attempts: row.attempts, result: row.result },
  }
}
