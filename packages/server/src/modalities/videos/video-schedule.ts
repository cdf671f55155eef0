/** When a job is looked at again, and what is to be done then. Pure: times in, times out. */
import { hasEnded, type VideoJob } from './video-job.ts'

const SECOND_MS = 1_000
const HOUR_MS = 3_600 * SECOND_MS
const DAY_MS = 24 * HOUR_MS

/** A completed job that no client polls is charged after so long. Source: decision 0024 (video jobs). */
export const UNREAD_MS = HOUR_MS
/** A job without a verdict expires at this age, when its upstream answers and still has none. Source: decision 0024. */
export const JOB_LIFE_MS = DAY_MS
/** The same when its upstream cannot be asked at all. */
export const SILENT_JOB_LIFE_MS = 7 * DAY_MS
/** A job that is called completed and whose file is not there so long after that was first seen has failed. */
export const FILE_MISSED_MS_MAX = 1_800 * SECOND_MS
/** Files live so long after the first successful poll. Source: decision 0024. */
const FILE_LIFE_AFTER_READ_MS = DAY_MS
/** And never longer after the job's end. */
const FILE_LIFE_MS = 7 * DAY_MS

/** How often the gateway itself asks after a job, by the job's age. Callers who poll are answered when they ask. */
const POLL_MS: readonly (readonly [untilAgeMs: number, everyMs: number])[] = [
  [10 * 60 * SECOND_MS, 30 * SECOND_MS],
  [HOUR_MS, 60 * SECOND_MS],
]
const POLL_MS_MAX = 300 * SECOND_MS

/** Waits after failures in a row: doubling from the first to the last. */
const RETRY_MS = 30 * SECOND_MS
const RETRY_MS_MAX = HOUR_MS / 2

/** A step that is due, and cannot be undone, is looked at again after this until the clock is believed. */
const DOUBT_MS = 60 * SECOND_MS

/** When a running job is polled again. */
export function nextPollAt(job: Pick<VideoJob, 'createdAt'>, now: number): number {
  const age = now - job.createdAt
  return now + (POLL_MS.find(([untilAgeMs]) => age < untilAgeMs)?.[1] ?? POLL_MS_MAX)
}

/** When something that failed is tried again. @param failures in a row, this one included. */
export function nextRetryAt(failures: number, now: number): number {
  return now + Math.min(RETRY_MS * 2 ** Math.min(Math.max(failures - 1, 0), 10), RETRY_MS_MAX)
}

/** When the files of a completed job end; null for any other job. */
export function filesExpireAt(job: Pick<VideoJob, 'state' | 'endedAt' | 'firstReadAt'>): number | null {
  if (job.state !== 'completed' || job.endedAt === null) return null
  const last = filesExpireAtLatest(job.endedAt)
  return job.firstReadAt === null ? last : Math.min(job.firstReadAt + FILE_LIFE_AFTER_READ_MS, last)
}

/** The latest time at which the files of a job can end that ended at `endedAt`. */
export function filesExpireAtLatest(endedAt: number): number {
  return endedAt + FILE_LIFE_MS
}

/** What a job needs next. */
export type VideoStep =
  | 'poll'
  | 'settle'
  /** Keep its files, then charge it. */
  | 'store_and_settle'
  | 'store'
  | 'remove_files'
  | 'nothing'

/** The longest that a job is left alone: what is due later than that was written by a clock that was ahead. */
export const STEP_MS_MAX = { open: HOUR_MS, ended: FILE_LIFE_MS } as const

/** Says what a job needs at a time. */
export function nextStep(job: VideoJob, now: number): VideoStep {
  if (!hasEnded(job)) return 'poll'
  if (job.settledAt === null)
    return isUnread(job, now) ? 'store_and_settle' : job.state === 'failed' ? 'settle' : 'nothing'
  if (job.state === 'failed') return 'nothing'
  const isOver = job.deletedAt !== null || (filesExpireAt(job) ?? 0) <= now
  if (isOver) return job.files === null ? 'nothing' : 'remove_files'
  return job.files === null ? 'store' : 'nothing'
}

function isUnread({ state, endedAt }: VideoJob, now: number): boolean {
  return state === 'completed' && endedAt !== null && now - endedAt >= UNREAD_MS
}

/**
 * When a job is looked at next, after a look at which nothing failed; null when nothing is left to do.
 *
 * @param earliest what cannot be undone is done by this, and not by `now`.
 */
export function nextLookAt(job: VideoJob, { now, earliest }: LookTimes): number | null {
  const dueAt = nextStepAt(job, now)
  if (dueAt === null) return null
  const isDoubted = dueAt <= now && nextStep(job, earliest) === 'nothing'
  return isDoubted ? now + DOUBT_MS : Math.min(dueAt, now + STEP_MS_MAX[hasEnded(job) ? 'ended' : 'open'])
}

/** What time it is, and what it is for sure. */
export interface LookTimes {
  readonly now: number
  readonly earliest: number
}

function nextStepAt(job: VideoJob, now: number): number | null {
  if (!hasEnded(job)) return nextPollAt(job, now)
  if (job.settledAt === null) return job.state === 'completed' && job.endedAt !== null ? job.endedAt + UNREAD_MS : now
  const step = nextStep(job, now)
  if (step !== 'nothing') return now
  return job.state === 'completed' && job.files !== null && job.deletedAt === null ? filesExpireAt(job) : null
}
