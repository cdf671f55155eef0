import { ServiceError } from '../../platform/errors/service-error.ts'
import type { Caller } from '../../access/keys/caller.ts'
import { hasFiles } from './find-files.ts'
import { noteMissingFile, noteRead, noteReport, settleJob } from './settle-video.ts'
import type { VideoDeps } from './video-deps.ts'
import { hasEnded, type VideoJob } from './video-job.ts'
import type { VideoJobPage } from './video-job-store.ts'

/** @throws {ServiceError} `job_not_found`: there is none, it is another account's, or it was deleted. */
export async function findJob(deps: VideoDeps, caller: Pick<Caller, 'accountId'>, jobId: string): Promise<VideoJob> {
  const job = await deps.jobs.find(caller.accountId, jobId)
  if (job !== null) return job
  throw new ServiceError('job_not_found', `This account has no video ${JSON.stringify(jobId.slice(0, 64))}.`, {
    param: 'jobId',
  })
}

/**
 * Asks the upstream for a job without a verdict. When it cannot be asked, that is no verdict: the job stays as it was.
 *
 * @returns the job as it is then; `error` says why it could not be asked.
 */
export async function refreshJob(
  deps: VideoDeps,
  job: VideoJob,
): Promise<{ readonly job: VideoJob; readonly error: ServiceError | null }> {
  const { upstreamJobId } = job
  if (hasEnded(job)) return { job, error: null }
  let poll = deps.polls.get(job.jobId)
  if (poll === undefined) {
    poll = pollUpstream(deps, job, upstreamJobId).finally(() => deps.polls.delete(job.jobId))
    deps.polls.set(job.jobId, poll)
  }
  try {
    return { job: await poll, error: null }
  } catch (error) {
    if (error instanceof ServiceError) return { job: await deps.jobs.get(job.jobId), error }
    throw error
  }
}

async function pollUpstream(deps: VideoDeps, job: VideoJob, upstreamJobId: string): Promise<VideoJob> {
  const upstream = deps.holderOf(job)
  if (upstream === null) {
    throw new ServiceError('upstream_unavailable', 'The upstream of this video is no longer configured.')
  }
  const report = await upstream.report(upstreamJobId)
  if (report.kind === 'completed' && !(await hasFiles(upstream, upstreamJobId, report.outputs))) {
    return noteMissingFile(deps, job, report.cost)
  }
  return noteReport(deps, job, report)
}

/**
 * Reads one job. The first read that finds it completed charges it; every other shows the same charge.
 *
 * @throws {ServiceError} `job_not_found`; 503 when the charge could not be written: then nothing is answered, and asking
 *   again is safe.
 */
export async function readVideo(deps: VideoDeps, caller: Pick<Caller, 'accountId'>, jobId: string): Promise<VideoJob> {
  const known = await findJob(deps, caller, jobId)
  const { job } = await refreshJob(deps, known)
  return noteRead(deps, await settleJob(deps, job))
}

/**
 * Lists jobs of the account as far as they were last seen; those that have ended are settled first.
 *
 * @returns at most `page.limit` of them, and whether there are more.
 */
export async function listVideos(
  deps: VideoDeps,
  caller: Pick<Caller, 'accountId'>,
  page: VideoJobPage,
): Promise<{ readonly jobs: readonly VideoJob[]; readonly hasMore: boolean }> {
  const found = await deps.jobs.list(caller.accountId, { ...page, limit: page.limit + 1 })
  const jobs: VideoJob[] = []
  for (const job of found.slice(0, page.limit)) jobs.push(await noteRead(deps, await settleJob(deps, job)))
  return { jobs, hasMore: found.length > page.limit }
}
