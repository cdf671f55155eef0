/** The only statements about `batch`. Each says which process it is from, so that one that was overtaken writes nothing. */
import { formatCredits, OPEN_BATCHES_MAX, parseCredits } from '@svc/contract'
import { type CompiledQuery, sql, type UpdateQueryBuilder } from 'kysely'
import { lockAccount } from '../access/accounts/lock-account.ts'
import type { Database } from '../platform/db/database.ts'
import { type DueTimes, isDue } from '../platform/db/due.ts'
import type { Schema } from '../platform/db/schema.ts'
import type { BatchTable } from '../platform/db/work-schema.ts'
import { type Batch, type BatchProblem, type LineEndpoint, MESSAGES_PATH } from './batch.ts'
import { writeIf } from './write-if.ts'

export interface BatchPage {
  /** Whether those of messages are listed, or all others. */
  readonly ofMessages: boolean
  /** Id of the batch before the page's first; null for the first page. */
  readonly after: string | null
  /** Id of the batch behind the page's last; null or absent where none is. */
  readonly before?: string | null
  readonly limit: number
}

/** A batch, and the process that works on it. */
export interface OwnedBatch {
  readonly batchId: string
  readonly owner: string
}

/** How a batch ended. */
export interface BatchEnd {
  /** `failed`: its file has gone before all lines were made. */
  readonly state: 'completed' | 'failed' | 'expired' | 'cancelled'
  /** Why it failed; null for another state. */
  readonly errors: readonly BatchProblem[] | null
  readonly endedAt: number
  readonly outputFileId: string | null
  readonly errorFileId: string | null
}

export interface BatchStore {
  /**
   * Writes a batch down, unless its account has too many that have not ended. Of several at the same moment each counts
   * those before it. @returns false where there is no room.
   */
  insert(batch: Batch): Promise<boolean>
  /** Null when there is none, or it is another account's. */
  find(accountId: string, batchId: string): Promise<Batch | null>
  get(batchId: string): Promise<Batch>
  /** When a batch was started, whosever it is; null where there is none of this id. */
  findCreation(batchId: string): Promise<number | null>
  /** The latest first; at most `limit`. */
  list(accountId: string, page: BatchPage): Promise<readonly Batch[]>
  /** Forgets a batch that has ended. @returns false where there is none. */
  remove(batchId: string): Promise<boolean>
  /** Whether a batch that has not ended reads a file. */
  isReading(fileId: string): Promise<boolean>
  /** Lets no further line begin. @returns false where it had ended, or came to its end already. */
  cancel(batchId: string, now: number): Promise<boolean>
  /** Batches that no process works on, the longest due first. */
  listDue(times: DueTimes, limit: number): Promise<readonly Batch[]>
  /** Takes a due batch, so that no other process does. @returns false when it was taken. */
  claim(batch: Pick<Batch, 'nextStepAt'> & OwnedBatch, until: number): Promise<boolean>
  /** Keeps it for longer, or gives it back by a time that is near. @returns false when another process has it. */
  renew(owned: OwnedBatch, until: number): Promise<boolean>
  /** Its file is in order. @returns false when it was cancelled meanwhile, or another process has it. */
  start(owned: OwnedBatch, started: { readonly total: number; readonly startedAt: number }): Promise<boolean>
  /** Its file is not in order. The same. */
  fail(
    owned: OwnedBatch,
    failed: { readonly errors: readonly BatchProblem[]; readonly endedAt: number },
  ): Promise<boolean>
  /** Every line has come to its end. The same. */
  finalize(owned: OwnedBatch, finalizingAt: number): Promise<boolean>
  /** Ends it, with what else belongs to its end, in one transaction. @returns false when another process has it. */
  end(owned: OwnedBatch, ended: BatchEnd, more: readonly CompiledQuery[]): Promise<boolean>
}

type Update = UpdateQueryBuilder<Schema, 'batch', 'batch', never>

/** Makes the store. */
export function createBatchStore(database: Pick<Database, 'read' | 'write'>): BatchStore {
  const { read, write } = database
  const batches = () => read.selectFrom('batch').selectAll()
  const update = async (batchId: string, build: (query: Update) => Pick<Update, 'compile'>): Promise<boolean> => {
    const query = build(read.updateTable('batch').where('batch_id', '=', batchId) as never)
    const [changed] = await write([query.compile()])
    return changed === 1
  }
  return {
    async insert(batch) {
      const insert = read.insertInto('batch').values({ ...rowOf(batch), owner: null })
      const undo = read.deleteFrom('batch').where('batch_id', '=', batch.batchId).where(hasTooMany(batch.accountId))
      const [, , undone] = await write([lockAccount({ read }, batch.accountId), insert.compile(), undo.compile()])
      return undone === 0
    },
    async find(accountId, batchId) {
      const row = await batches().where('batch_id', '=', batchId).where('account_id', '=', accountId).executeTakeFirst()
      return row === undefined ? null : batchFrom(row)
    },
    get: async (batchId) => batchFrom(await batches().where('batch_id', '=', batchId).executeTakeFirstOrThrow()),
    async findCreation(batchId) {
      const found = await read
        .selectFrom('batch')
        .select('created_at')
        .where('batch_id', '=', batchId)
        .executeTakeFirst()
      return found?.created_at ?? null
    },
    async list(accountId, { ofMessages, after, before = null, limit }) {
      const order = before === null ? 'desc' : 'asc'
      let query = batches().where('account_id', '=', accountId).orderBy('batch_id', order).limit(limit)
      query = query.where('endpoint', ofMessages ? '=' : '<>', MESSAGES_PATH)
      if (after !== null) query = query.where('batch_id', '<', after)
      if (before !== null) query = query.where('batch_id', '>', before)
      const found = (await query.execute()).map(batchFrom)
      return before === null ? found : found.toReversed()
    },
    async remove(batchId) {
      const removal = read.deleteFrom('batch').where('batch_id', '=', batchId).where('ended_at', 'is not', null)
      const [removed] = await write([removal.compile()])
      return removed === 1
    },
    async isReading(fileId) {
      const query = read.selectFrom('batch').select('batch_id').where('input_file_id', '=', fileId)
      return (await query.where('ended_at', 'is', null).executeTakeFirst()) !== undefined
    },
    cancel: (batchId, now) =>
      update(batchId, (query) =>
        query.set({ state: 'cancelling', cancelling_at: now }).where('state', 'in', ['validating', 'in_progress']),
      ),
    async listDue(times, limit) {
      const query = batches().where(isDue('next_step_at', times)).where('ended_at', 'is', null)
      return (await query.orderBy('next_step_at').limit(limit).execute()).map(batchFrom)
    },
    claim: ({ batchId, owner, nextStepAt }, until) =>
      update(batchId, (query) =>
        query.set({ owner, next_step_at: until }).where('next_step_at', '=', nextStepAt).where('ended_at', 'is', null),
      ),
    renew: ({ batchId, owner }, until) =>
      update(batchId, (query) =>
        query.set({ next_step_at: until }).where('owner', '=', owner).where('ended_at', 'is', null),
      ),
    start: ({ batchId, owner }, { total, startedAt }) =>
      update(batchId, (query) =>
        query
          .set({ state: 'in_progress', lines_total: total, started_at: startedAt })
          .where('owner', '=', owner)
          .where('state', '=', 'validating'),
      ),
    fail: ({ batchId, owner }, { errors, endedAt }) =>
      update(batchId, (query) =>
        query
          .set({ state: 'failed', errors: JSON.stringify(errors), ended_at: endedAt, owner: null, next_step_at: null })
          .where('owner', '=', owner)
          .where('state', '=', 'validating'),
      ),
    finalize: ({ batchId, owner }, finalizingAt) =>
      update(batchId, (query) =>
        query
          .set({ state: 'finalizing', finalizing_at: finalizingAt })
          .where('owner', '=', owner)
          .where('state', '=', 'in_progress'),
      ),
    end({ batchId, owner }, { state, errors, endedAt, outputFileId, errorFileId }, more) {
      const ending = read
        .updateTable('batch')
        .set({ state, ended_at: endedAt, output_file_id: outputFileId, error_file_id: errorFileId })
        .set({ errors: errors === null ? null : JSON.stringify(errors), owner: null, next_step_at: null })
        .where('batch_id', '=', batchId)
        .where('owner', '=', owner)
        .where('ended_at', 'is', null)
      return writeIf(database, ending.compile(), more)
    },
  }
}

function hasTooMany(accountId: string) {
  return sql<boolean>`(select count(*) from batch where account_id = ${accountId} and ended_at is null)
    > ${OPEN_BATCHES_MAX}`
}

function rowOf(batch: Batch): Omit<BatchTable, 'owner'> {
  return {
    ...{ batch_id: batch.batchId, account_id: batch.accountId, key_id: batch.keyId, endpoint: batch.endpoint },
    ...{ input_file_id: batch.inputFileId, card_percent: batch.cardPercent, output_seconds: batch.outputSeconds },
    line_most: batch.lineMost === null ? null : formatCredits(batch.lineMost),
    metadata: batch.metadata === null ? null : JSON.stringify(batch.metadata),
    ...{ state: batch.state, lines_total: batch.total, lines_completed: batch.completed, lines_failed: batch.failed },
    ...{ next_line: batch.nextLine, next_offset: batch.nextOffset, kept_bytes: batch.keptBytes },
    errors: batch.errors === null ? null : JSON.stringify(batch.errors),
    ...{ output_file_id: batch.outputFileId, error_file_id: batch.errorFileId },
    ...{ created_at: batch.createdAt, expires_at: batch.expiresAt, started_at: batch.startedAt },
    ...{ finalizing_at: batch.finalizingAt, cancelling_at: batch.cancellingAt, ended_at: batch.endedAt },
    next_step_at: batch.nextStepAt,
  }
}

function batchFrom(row: BatchTable): Batch {
  return {
    ...{ batchId: row.batch_id, accountId: row.account_id, keyId: row.key_id, inputFileId: row.input_file_id },
    endpoint: row.endpoint as LineEndpoint,
    lineMost: row.line_most === null ? null : parseCredits(row.line_most),
    metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as Record<string, string>),
    ...{ cardPercent: row.card_percent, outputSeconds: row.output_seconds, state: row.state },
    ...{ total: row.lines_total, completed: row.lines_completed, failed: row.lines_failed },
    ...{ nextLine: row.next_line, nextOffset: row.next_offset, keptBytes: row.kept_bytes },
    errors: row.errors === null ? null : (JSON.parse(row.errors) as BatchProblem[]),
    ...{ outputFileId: row.output_file_id, errorFileId: row.error_file_id },
    ...{ createdAt: row.created_at, expiresAt: row.expires_at, startedAt: row.started_at },
    ...{ finalizingAt: row.finalizing_at, cancellingAt: row.cancelling_at, endedAt: row.ended_at },
    nextStepAt: row.next_step_at,
  }
}
