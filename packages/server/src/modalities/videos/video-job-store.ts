/**
 * The only statements about `video_job`. Each change says which state it starts from, so that the first of two wins.
 */
import { nanocreditsOf, type Nanocredits } from '@svc/contract'
import type { CompiledQuery, UpdateQueryBuilder } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { type DueTimes, isDue } from '../../platform/db/due.ts'
import type { Schema } from '../../platform/db/schema.ts'
import type { VideoJobTable } from '../../platform/db/work-schema.ts'
import { parseUsd, formatUsd } from '../../pricing/usd.ts'
import type { AttoUsd } from '../../pricing/price.ts'
import type { VideoErrorCode, VideoJob } from './video-job.ts'

/** The verdict on a job. */
export type VideoVerdict =
  | { readonly state: 'completed'; readonly outputs: number; readonly cost: AttoUsd | null }
  | { readonly state: 'failed'; readonly errorCode: VideoErrorCode; readonly cost: AttoUsd | null }

/** One page of jobs. */
export interface VideoJobPage {
  /** Id of the job before the page's first; null for the first page. */
  readonly after: string | null
  readonly limit: number
  readonly order: 'asc' | 'desc'
}

/** What is open now, over all processes. */
export interface VideoJobCounts {
  readonly queued: number
  readonly inProgress: number
  /** Ended and not settled yet. */
  readonly unsettled: number
}

export interface VideoJobStore {
  /**
   * Inserts a job and lets it take over its hold, in one transaction. A job that is there stays as it is, so that it
   * may be tried again where the answer of the database was lost.
   *
   * @returns false when the hold had ended already; the job is there all the same.
   */
  insert(job: VideoJob, takeOver: CompiledQuery): Promise<boolean>
  /** Null when there is none, it was deleted, or it is another account's. */
  find(accountId: string, jobId: string): Promise<VideoJob | null>
  get(jobId: string): Promise<VideoJob>
  /** The same whichever account owns it, for a caller who has a signed address. */
  findSigned(jobId: string): Promise<VideoJob | null>
  /** Jobs that are not deleted; at most `limit`. */
  list(accountId: string, page: VideoJobPage): Promise<readonly VideoJob[]>
  /** Notes how far a running job is. It never goes back. */
  noteProgress(
    jobId: string,
    seen: { readonly state: 'queued' | 'in_progress'; readonly progress: number | null; readonly nextStepAt: number },
  ): Promise<void>
  /**
   * Notes that a job is called completed and has no file to read. It is in progress until there is one; the first such
   * time stays, and a cost that is reported replaces the one before.
   */
  noteMissingFile(
    jobId: string,
    seen: { readonly cost: AttoUsd | null; readonly missedAt: number; readonly nextStepAt: number },
  ): Promise<void>
  /**
   * Writes the verdict, once. A verdict without a cost leaves the one that was reported before: what an upstream has
   * said that it bills it bills, whatever becomes of the job.
   *
   * @returns false when there was one.
   */
  end(
    jobId: string,
    verdict: VideoVerdict,
    times: { readonly endedAt: number; readonly nextStepAt: number },
  ): Promise<boolean>
  /** Takes a completed job that is not charged back to a failure. @returns false when it is charged, or failed. */
  fail(jobId: string, errorCode: VideoErrorCode): Promise<boolean>
  /**
   * Notes what the ledger says became of the hold, once. @param state what was charged is completed, whatever was seen.
   */
  noteSettled(
    jobId: string,
    settled: {
      readonly state: 'completed' | 'failed'
      readonly charge: Nanocredits
      readonly settledAt: number
      readonly nextStepAt: number | null
    },
  ): Promise<void>
  /** Notes that a caller has read of the completed job. Later reads change nothing. */
  noteFirstRead(jobId: string, readAt: number, nextStepAt: number): Promise<void>
  /** Notes which files are kept. @returns false when others are, or the job was deleted meanwhile. */
  noteFiles(jobId: string, files: readonly string[], nextStepAt: number | null): Promise<boolean>
  /** Notes that nothing is kept any more. */
  noteFilesRemoved(jobId: string): Promise<void>
  /** Deletes a settled job. @returns false when it is deleted already. */
  delete(jobId: string, deletedAt: number): Promise<boolean>
  /** Jobs that are due, the longest due first: those without a verdict, or those that have ended. */
  listDue(of: 'open' | 'ended', times: DueTimes, limit: number): Promise<readonly VideoJob[]>
  /**
   * Takes a due job, so that no other process does: it is due again at `nextStepAt`. @returns false when it was taken.
   */
  claim(job: Pick<VideoJob, 'jobId' | 'nextStepAt'>, nextStepAt: number): Promise<boolean>
  /** Says when a job is looked at again, and how many looks in a row have failed. */
  schedule(jobId: string, nextStepAt: number | null, failures: number): Promise<void>
  countOpen(): Promise<VideoJobCounts>
}

type Update = UpdateQueryBuilder<Schema, 'video_job', 'video_job', never>

/** Makes the store. */
export function createVideoJobStore(database: Database): VideoJobStore {
  const { read } = database
  const update = async (jobId: string, build: (query: Update) => Pick<Update, 'compile'>): Promise<boolean> => {
    const query = build(read.updateTable('video_job').where('job_id', '=', jobId) as never)
    const [changed] = await database.write([query.compile()])
    return changed === 1
  }
  return {
    ...createReads(database),
    ...createEndings(update),
    ...createFileWrites(update),
    async insert(job, takeOver) {
      const row = read.insertInto('video_job').values(rowOf(job))
      const insert = row.onConflict((conflict) => conflict.column('job_id').doNothing()).compile()
      const [, taken] = await database.write([insert, takeOver])
      return taken === 1
    },
    async noteProgress(jobId, { state, progress, nextStepAt }) {
      const from = state === 'queued' ? (['queued'] as const) : (['queued', 'in_progress'] as const)
      await update(jobId, (query) =>
        query
          .set((column) => ({
            state,
            progress:
              progress === null
                ? column.ref('progress')
                : column.case().when('progress', '<', progress).then(progress).else(column.ref('progress')).end(),
            ...{ next_step_at: nextStepAt, failures: 0, file_missed_at: null },
          }))
          .where('state', 'in', from),
      )
    },
    async noteMissingFile(jobId, { cost, missedAt, nextStepAt }) {
      await update(jobId, (query) =>
        query
          .set((column) => ({
            file_missed_at: column.fn.coalesce(column.ref('file_missed_at'), column.val(missedAt)),
            ...(cost === null ? {} : { cost_usd: formatUsd(cost) }),
            ...{ state: 'in_progress' as const, next_step_at: nextStepAt, failures: 0 },
          }))
          .where('state', 'in', OPEN_STATES),
      )
    },
    async claim({ jobId, nextStepAt: dueAt }, nextStepAt) {
      return update(jobId, (query) => query.set({ next_step_at: nextStepAt }).where('next_step_at', '=', dueAt))
    },
    async schedule(jobId, nextStepAt, failures) {
      await update(jobId, (query) => query.set({ next_step_at: nextStepAt, failures }))
    },
  }
}

type UpdateJob = (jobId: string, build: (query: Update) => Pick<Update, 'compile'>) => Promise<boolean>

function createReads({ read }: Database) {
  const jobs = () => read.selectFrom('video_job').selectAll()
  return {
    async find(accountId: string, jobId: string): Promise<VideoJob | null> {
      const row = await jobs()
        .where('job_id', '=', jobId)
        .where('account_id', '=', accountId)
        .where('deleted_at', 'is', null)
        .executeTakeFirst()
      return row === undefined ? null : jobFrom(row)
    },
    async findSigned(jobId: string): Promise<VideoJob | null> {
      const row = await jobs().where('job_id', '=', jobId).where('deleted_at', 'is', null).executeTakeFirst()
      return row === undefined ? null : jobFrom(row)
    },
    async get(jobId: string): Promise<VideoJob> {
      return jobFrom(await jobs().where('job_id', '=', jobId).executeTakeFirstOrThrow())
    },
    async list(accountId: string, { after, limit, order }: VideoJobPage): Promise<readonly VideoJob[]> {
      let query = jobs()
        .where('account_id', '=', accountId)
        .where('deleted_at', 'is', null)
        .orderBy('job_id', order)
        .limit(limit)
      if (after !== null) query = query.where('job_id', order === 'desc' ? '<' : '>', after)
      return (await query.execute()).map(jobFrom)
    },
    async listDue(of: 'open' | 'ended', times: DueTimes, limit: number): Promise<readonly VideoJob[]> {
      const query = jobs()
        .where(isDue('next_step_at', times))
        .where('ended_at', of === 'open' ? 'is' : 'is not', null)
        .orderBy('next_step_at')
        .limit(limit)
      return (await query.execute()).map(jobFrom)
    },
    async countOpen(): Promise<VideoJobCounts> {
      const rows = await read
        .selectFrom('video_job')
        .select(({ fn }) => ['state', fn.countAll<number>().as('jobs')])
        .where('settled_at', 'is', null)
        .groupBy('state')
        .execute()
      const of = (state: string): number => rows.find((row) => row.state === state)?.jobs ?? 0
      return {
        queued: of('queued'),
        inProgress: of('in_progress'),
        unsettled: of('completed') + of('failed'),
      }
    },
  }
}

const OPEN_STATES = ['queued', 'in_progress'] as const
/** Why a job has failed whose hold was freed without a verdict on it. */
const FREED_CODE: VideoErrorCode = 'gateway_stopped'

function createEndings(update: UpdateJob) {
  return {
    end: (jobId: string, verdict: VideoVerdict, times: { readonly endedAt: number; readonly nextStepAt: number }) =>
      update(jobId, (query) =>
        query
          .set({
            ...{ state: verdict.state, ended_at: times.endedAt, next_step_at: times.nextStepAt, failures: 0 },
            ...(verdict.cost === null ? {} : { cost_usd: formatUsd(verdict.cost) }),
            ...(verdict.state === 'completed'
              ? { outputs: verdict.outputs, progress: 100 }
              : { error_code: verdict.errorCode }),
          })
          .where('state', 'in', OPEN_STATES),
      ),
    fail: (jobId: string, errorCode: VideoErrorCode) =>
      update(jobId, (query) =>
        query
          .set({ state: 'failed', error_code: errorCode })
          .where('state', '=', 'completed')
          .where('settled_at', 'is', null),
      ),
    async noteSettled(jobId: string, settled: Parameters<VideoJobStore['noteSettled']>[1]): Promise<void> {
      const { state, charge, settledAt: settled_at, nextStepAt: next_step_at } = settled
      await update(jobId, (query) =>
        query
          .set((column) => ({
            ...{ state, charge, settled_at, next_step_at, failures: 0 },
            // Its upstream may call it completed although its hold was freed before, by a request that failed.
            error_code: state === 'completed' ? null : column.fn.coalesce('error_code', column.val(FREED_CODE)),
          }))
          .where('settled_at', 'is', null),
      )
    },
    delete: (jobId: string, deletedAt: number) =>
      update(jobId, (query) =>
        query
          .set({ deleted_at: deletedAt, next_step_at: deletedAt })
          .where('deleted_at', 'is', null)
          .where('settled_at', 'is not', null),
      ),
  }
}

function createFileWrites(update: UpdateJob) {
  return {
    async noteFirstRead(jobId: string, readAt: number, nextStepAt: number): Promise<void> {
      await update(jobId, (query) =>
        query.set({ first_read_at: readAt, next_step_at: nextStepAt }).where('first_read_at', 'is', null),
      )
    },
    noteFiles: (jobId: string, files: readonly string[], nextStepAt: number | null) =>
      update(jobId, (query) =>
        query
          .set({ files: JSON.stringify(files), next_step_at: nextStepAt, failures: 0 })
          .where('files', 'is', null)
          .where('deleted_at', 'is', null),
      ),
    async noteFilesRemoved(jobId: string): Promise<void> {
      await update(jobId, (query) => query.set({ files: null, next_step_at: null }))
    },
  }
}

function rowOf(job: VideoJob): VideoJobTable {
  return {
    ...{ job_id: job.jobId, hold_id: job.holdId, account_id: job.accountId, key_id: job.keyId, model: job.model },
    ...{ upstream: job.upstream, upstream_model: job.upstreamModel, upstream_job_id: job.upstreamJobId },
    ...{ state: job.state, progress: job.progress, seconds: job.seconds, size: job.size, price: job.price },
    ...{ estimate_amount: job.estimate, created_at: job.createdAt, next_step_at: job.nextStepAt },
    ...{ failures: job.failures, ended_at: job.endedAt, error_code: job.errorCode },
    cost_usd: job.cost === null ? null : formatUsd(job.cost),
    ...{ outputs: job.outputs === 0 ? null : job.outputs, settled_at: job.settledAt, charge: job.charge },
    ...{ file_missed_at: job.fileMissedAt, first_read_at: job.firstReadAt, deleted_at: job.deletedAt },
    files: job.files === null ? null : JSON.stringify(job.files),
  }
}

function jobFrom(row: VideoJobTable): VideoJob {
  return {
    ...{ jobId: row.job_id, holdId: row.hold_id, accountId: row.account_id, keyId: row.key_id, model: row.model },
    ...{ upstream: row.upstream, upstreamModel: row.upstream_model, upstreamJobId: row.upstream_job_id },
    ...{ state: row.state, progress: row.progress, seconds: row.seconds, size: row.size, price: row.price },
    ...{ estimate: nanocreditsOf(row.estimate_amount), createdAt: row.created_at, nextStepAt: row.next_step_at },
    ...{ failures: row.failures, endedAt: row.ended_at, errorCode: row.error_code as VideoErrorCode | null },
    cost: row.cost_usd === null ? null : parseUsd(row.cost_usd),
    ...{ outputs: row.outputs ?? 0, settledAt: row.settled_at },
    charge: row.charge === null ? null : nanocreditsOf(row.charge),
    ...{ fileMissedAt: row.file_missed_at, firstReadAt: row.first_read_at, deletedAt: row.deleted_at },
    files: row.files === null ? null : (JSON.parse(row.files) as string[]),
  }
}
