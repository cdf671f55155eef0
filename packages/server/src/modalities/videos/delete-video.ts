import { ServiceError } from '../../platform/errors/service-error.ts'
import type { Caller } from '../../access/keys/caller.ts'
import { findJob, refreshJob } from './read-video.ts'
import { removeFiles } from './keep-video.ts'
import { endJob, settleJob } from './settle-video.ts'
import type { VideoDeps } from './video-deps.ts'
import { hasEnded, type VideoJob } from './video-job.ts'

/**
 * Deletes a job and its files. A finished one is settled first; one that runs is deleted only when its upstream
 * confirms that it was cancelled, and is free then.
 *
 * @throws {ServiceError} `job_not_found`, `job_not_cancelled`; 503 when the upstream cannot be asked or nothing can be
 *   written: asking again is safe.
 */
export async function deleteVideo(deps: VideoDeps, caller: Pick<Caller, 'accountId'>, jobId: string): Promise<void> {
  const known = await findJob(deps, caller, jobId)
  const { job, error } = await refreshJob(deps, known)
  if (error !== null) throw error
  const ended = hasEnded(job) ? job : await cancelJob(deps, job)
  const settled = await settleJob(deps, ended)
  if (await deps.jobs.delete(settled.jobId, deps.clock.now())) {
    // What cannot be removed now is removed later: a deleted job with files stays due.
    await removeFiles(deps, await deps.jobs.get(jobId)).catch(() => undefined)
  }
}

async function cancelJob(deps: VideoDeps, job: VideoJob): Promise<VideoJob> {
  const upstream = deps.holderOf(job)
  const isAbandoned = upstream !== null && (await upstream.cancel(job.upstreamJobId))
  if (isAbandoned) return endJob(deps, job, { state: 'failed', errorCode: 'cancelled', cost: null })
  // It may have come to its end meanwhile.
  const { job: latest } = await refreshJob(deps, job)
  if (hasEnded(latest)) return latest
  throw new ServiceError(
    'job_not_cancelled',
    'This video is still being made, and its upstream did not give it up. Delete it when it has ended.',
    { param: 'jobId', shouldRetry: false },
  )
}
