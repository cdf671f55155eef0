/**
 * The end of a job. The verdict is written first, the hold is settled by it next, and what the ledger says is written
 * last. Each step may be done again by any process: the first verdict counts, the hold ends once, and the row follows
 * the ledger. Source: decision 0024 (video jobs).
 */
import { type Nanocredits, ZERO } from '@svc/contract'
import { type JobHold, settleJobHold, type JobSettlement } from '../../money/billing/job-hold.ts'
import { NO_FACTS, type Settlement } from '../../money/billing/settlement.ts'
import type { AttoUsd } from '../../pricing/price.ts'
import { costAtPar } from '../../pricing/usd.ts'
import type { VideoFailure, VideoReport } from '../../upstreams/video-upstream.ts'
import type { VideoDeps } from './video-deps.ts'
import { hasEnded, type VideoErrorCode, type VideoJob } from './video-job.ts'
import type { VideoVerdict } from './video-job-store.ts'
import { chargeVideo, listCost, parseSnapshot } from './video-price.ts'
import { FILE_MISSED_MS_MAX, filesExpireAtLatest, nextPollAt, UNREAD_MS } from './video-schedule.ts'

const errorCodes: Readonly<Record<VideoFailure, VideoErrorCode>> = {
  failed: 'upstream_error',
  content_policy: 'content_policy_violation',
  cancelled: 'cancelled',
  expired: 'expired',
  empty: 'upstream_empty',
}

function verdictOf(report: Extract<VideoReport, { readonly kind: 'completed' | 'failed' }>): VideoVerdict {
  const { cost } = report
  if (report.kind === 'completed') return { state: 'completed', outputs: report.outputs, cost }
  return { state: 'failed', errorCode: errorCodes[report.reason], cost }
}

/** Writes what the upstream says of a job. @returns the job as it is then. */
export async function noteReport(deps: VideoDeps, job: VideoJob, report: VideoReport): Promise<VideoJob> {
  const now = deps.clock.now()
  if (report.kind === 'unknown') return job.fileMissedAt === null ? job : noteMissingFile(deps, job, null)
  if (report.kind === 'running') {
    const { state, progress } = report
    await deps.jobs.noteProgress(job.jobId, { state, progress, nextStepAt: nextPollAt(job, now) })
    return deps.jobs.get(job.jobId)
  }
  return endJob(deps, job, verdictOf(report))
}

/**
 * Notes that a job is called completed and that its file cannot be read. It stays in progress, and fails when that has
 * lasted too long; what the upstream wants for it is then ours to bear. Source: decision 0088.
 *
 * @param cost as it was reported; null where it was not.
 * @returns the job as it is then.
 */
export async function noteMissingFile(
  deps: VideoDeps,
  { jobId, createdAt }: VideoJob,
  cost: AttoUsd | null,
): Promise<VideoJob> {
  const now = deps.clock.now()
  await deps.jobs.noteMissingFile(jobId, { cost, missedAt: now, nextStepAt: nextPollAt({ createdAt }, now) })
  const job = await deps.jobs.get(jobId)
  if (hasEnded(job) || deps.clock.earliest() - (job.fileMissedAt ?? now) < FILE_MISSED_MS_MAX) return job
  return endJob(deps, job, { state: 'failed', errorCode: 'upstream_empty', cost: job.cost })
}

/** Writes the verdict on a job, unless there is one. @returns the job as it is then. */
export async function endJob(deps: VideoDeps, job: VideoJob, verdict: VideoVerdict): Promise<VideoJob> {
  const endedAt = deps.clock.now()
  const nextStepAt = verdict.state === 'completed' ? endedAt + UNREAD_MS : endedAt
  const isFirst = await deps.jobs.end(job.jobId, verdict, { endedAt, nextStepAt })
  const ended = await deps.jobs.get(job.jobId)
  if (isFirst) deps.onEnded?.(ended)
  return ended
}

/** What a job is charged; what its upstream wants for a failure is ours to bear. */
function settlementOf(job: VideoJob): Settlement & { readonly lost: Nanocredits } {
  const facts = { ...NO_FACTS, upstream: job.upstream, upstreamModel: job.upstreamModel }
  const generationId = job.upstreamJobId
  if (job.state === 'failed') {
    const lost = job.cost === null ? unreportedLoss(job) : costAtPar(job.cost)
    const failed = { ...facts, generationId, status: 'error' as const, errorCode: job.errorCode }
    return { charge: ZERO, cost: ZERO, lost, facts: failed }
  }
  const { charge, cost, basis, pricing } = chargeVideo(parseSnapshot(job.price), job.cost)
  const estimated = job.cost === null
  return { charge, cost, lost: ZERO, facts: { ...facts, generationId, status: 'ok', basis, estimated, pricing } }
}

/** A video that its upstream has called completed is billed by its list, also where no client can have it. */
function unreportedLoss({ outputs, errorCode, price }: VideoJob): Nanocredits {
  return outputs > 0 || errorCode === 'upstream_empty' ? listCost(parseSnapshot(price)) : ZERO
}

/** What became of a job by the word of the ledger, which is the last. */
function settledState(job: VideoJob, asked: Settlement, { charge, isFirst }: JobSettlement): 'completed' | 'failed' {
  if (charge > 0n) return 'completed'
  // The hold was released before, when the job was cancelled.
  if (job.state === 'completed' && !isFirst && asked.charge > 0n) return 'failed'
  return job.state === 'failed' ? 'failed' : 'completed'
}

/**
 * Settles a job that has ended: charges what is completed, releases what failed. Does nothing for any other job, and
 * nothing twice.
 *
 * @throws {ServiceError} when it is not durable yet.
 */
export async function settleJob(deps: VideoDeps, job: VideoJob): Promise<VideoJob> {
  if (!hasEnded(job) || job.settledAt !== null) return job
  const asked = settlementOf(job)
  const { holdId: id, accountId, keyId, model, estimate: amount, createdAt: placedAt } = job
  const { most } = parseSnapshot(job.price)
  const hold: JobHold = { id, accountId, keyId, type: 'video', model, amount, placedAt, most }
  const settlement = await settleJobHold(deps, hold, asked)
  const settledAt = deps.clock.now()
  const state = settledState(job, asked, settlement)
  const nextStepAt = state === 'completed' ? settledAt : null
  await deps.jobs.noteSettled(job.jobId, { state, charge: settlement.charge, settledAt, nextStepAt })
  return deps.jobs.get(job.jobId)
}

/** Notes that a caller has read of a settled, completed job: from now on its files live a day. */
export async function noteRead(deps: VideoDeps, job: VideoJob): Promise<VideoJob> {
  if (job.state !== 'completed' || job.settledAt === null || job.firstReadAt !== null) return job
  const now = deps.clock.now()
  if (now >= filesExpireAtLatest(job.endedAt ?? now)) return job
  await deps.jobs.noteFirstRead(job.jobId, now, now)
  return deps.jobs.get(job.jobId)
}
