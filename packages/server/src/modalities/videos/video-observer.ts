/**
 * What goes on with jobs whether clients poll them or not: the upstream is polled for those without a verdict,
 * finished ones are settled in time, their files are kept and removed. Any number of processes may do this at once: a
 * job is taken before anything is done, and whatever is done may be done twice.
 */
import { ServiceError } from '../../platform/errors/service-error.ts'
import { keepFiles, removeFiles } from './keep-video.ts'
import { refreshJob } from './read-video.ts'
import { endJob, settleJob } from './settle-video.ts'
import type { VideoDeps } from './video-deps.ts'
import { hasEnded, type VideoJob } from './video-job.ts'
import {
  filesExpireAtLatest,
  JOB_LIFE_MS,
  nextLookAt,
  nextRetryAt,
  nextStep,
  SILENT_JOB_LIFE_MS,
  STEP_MS_MAX,
} from './video-schedule.ts'

/** Jobs that are polled at a time, and finished ones whose files are copied at a time, in one process. */
const POLLS_AT_ONCE = 16
const ENDINGS_AT_ONCE = 4
/** So long a job is left to the process that has taken it: longer than a poll, longer than most copies. */
const POLL_CLAIM_MS = 60_000
const ENDING_CLAIM_MS = 1_800_000

/** So many looks in a row must find a file gone before that is believed: what is free then cannot be charged again. */
const GONE_LOOKS = 3

function goneForNow(): ServiceError {
  return new ServiceError('upstream_error', 'The upstream does not have the file of a completed video.')
}

export interface ObserverDeps extends VideoDeps {
  /** Called when work on a job failed otherwise than by its upstream. It must not throw. */
  readonly onError: (jobId: string, error: unknown) => void
}

/** One process's part in the background work. */
export class VideoObserver {
  readonly #deps: ObserverDeps
  readonly #running = { open: new Set<Promise<void>>(), ended: new Set<Promise<void>>() }
  readonly #stopping = new AbortController()

  constructor(deps: ObserverDeps) {
    this.#deps = deps
  }

  /** Begins what is due, as far as there is room; does not wait for its end. */
  async tick(): Promise<void> {
    await this.#begin('open', POLLS_AT_ONCE, POLL_CLAIM_MS)
    await this.#begin('ended', ENDINGS_AT_ONCE, ENDING_CLAIM_MS)
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#running.open.size + this.#running.ended.size > 0) {
      await Promise.all([...this.#running.open, ...this.#running.ended])
    }
  }

  /** Begins nothing more, stops copies, and waits for what is under way. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The gateway stops'))
    await this.idle()
  }

  async #begin(of: 'open' | 'ended', most: number, claimMs: number): Promise<void> {
    const running = this.#running[of]
    const { signal } = this.#stopping
    if (signal.aborted || running.size >= most) return
    const { jobs, clock, onError } = this.#deps
    const now = clock.now()
    const beyond = now + STEP_MS_MAX[of]
    for (const job of await jobs.listDue(of, { now, beyond }, most - running.size)) {
      if (signal.aborted || !(await jobs.claim(job, clock.now() + claimMs))) continue
      const work: Promise<void> = advance(this.#deps, job, signal)
        .catch((error: unknown) => onError(job.jobId, error))
        .finally(() => running.delete(work))
      running.add(work)
    }
  }
}

/** Does what a job needs now, and says when it is due again. */
async function advance(deps: ObserverDeps, job: VideoJob, signal: AbortSignal): Promise<void> {
  const { jobs, clock, onError } = deps
  let after: VideoJob
  try {
    after = await takeStep(deps, job, signal)
  } catch (error) {
    if (!(error instanceof ServiceError) && !signal.aborted) onError(job.jobId, error)
    await postpone(deps, job)
    return
  }
  await jobs.schedule(job.jobId, nextLookAt(after, { now: clock.now(), earliest: clock.earliest() }), 0)
}

/** Tries again later, unless it is too late for that. */
async function postpone(deps: ObserverDeps, job: VideoJob): Promise<void> {
  const { cost, createdAt } = job
  const failures = job.failures + 1
  const isOver = !hasEnded(job) && deps.clock.earliest() - createdAt >= SILENT_JOB_LIFE_MS
  if (isOver) await settleJob(deps, await endJob(deps, job, { state: 'failed', errorCode: 'expired', cost }))
  else await deps.jobs.schedule(job.jobId, nextRetryAt(failures, deps.clock.now()), failures)
}

async function takeStep(deps: ObserverDeps, job: VideoJob, signal: AbortSignal): Promise<VideoJob> {
  switch (nextStep(job, deps.clock.earliest())) {
    case 'poll':
      return poll(deps, job)
    case 'settle':
      return settleJob(deps, job)
    case 'store_and_settle':
      return storeAndSettle(deps, job, signal)
    case 'store': {
      const kept = await keepFiles(deps, job, signal)
      if (kept.kind === 'kept') return kept.job
      if (job.failures < GONE_LOOKS) throw goneForNow()
      // There is nothing to be had any more, so nothing to be tried again.
      await deps.jobs.noteFiles(job.jobId, [], null)
      return deps.jobs.get(job.jobId)
    }
    case 'remove_files':
      await removeFiles(deps, job)
      return deps.jobs.get(job.jobId)
    case 'nothing':
      return job
  }
}

async function poll(deps: ObserverDeps, job: VideoJob): Promise<VideoJob> {
  const { job: seen, error } = await refreshJob(deps, job)
  if (error !== null) throw error
  if (seen.state === 'failed') return settleJob(deps, seen)
  if (hasEnded(seen) || seen.fileMissedAt !== null || deps.clock.earliest() - job.createdAt < JOB_LIFE_MS) return seen
  // The upstream had a day and answers still, without a verdict. It is asked to stop; whether it does is its own loss.
  await deps
    .holderOf(job)
    ?.cancel(job.upstreamJobId)
    .catch(() => false)
  return settleJob(deps, await endJob(deps, seen, { state: 'failed', errorCode: 'expired', cost: null }))
}

/** No client has polled a completed video: its file is kept first, then it is charged. Without a file it is free. */
async function storeAndSettle(deps: ObserverDeps, job: VideoJob, signal: AbortSignal): Promise<VideoJob> {
  const isTooLate = deps.clock.earliest() >= filesExpireAtLatest(job.endedAt ?? 0)
  const kept = isTooLate ? ({ kind: 'gone' } as const) : await keepFiles(deps, job, signal)
  if (kept.kind === 'kept') return settleJob(deps, kept.job)
  if (!isTooLate && job.failures < GONE_LOOKS) throw goneForNow()
  await deps.jobs.fail(job.jobId, 'expired')
  return settleJob(deps, await deps.jobs.get(job.jobId))
}
