import type { VideoRequest } from '@svc/contract'
import { placeJobHold, type PlacedJobHold } from '../../money/billing/job-hold.ts'
import type { OpenHold } from '../../money/billing/open-hold.ts'
import { codeOf } from '../../platform/errors/code-of.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { Caller } from '../../access/keys/caller.ts'
import type { AttoUsd } from '../../pricing/price.ts'
import { attemptTargets } from '../../pipeline/routing/attempt-targets.ts'
import { listTargets } from '../../pipeline/routing/list-targets.ts'
import type { VideoFile } from '../../upstreams/video-upstream.ts'
import { endJob, settleJob } from './settle-video.ts'
import type { VideoDeps } from './video-deps.ts'
import { createVideoJobId, type VideoErrorCode, type VideoJob, type VideoPlace } from './video-job.ts'
import { formatSnapshot } from './video-price.ts'
import { nextPollAt, SUBMISSION_MS_MAX } from './video-schedule.ts'
import { holdOfDearest, type VideoTarget, videoTarget } from './video-target.ts'

export type { VideoFile } from '../../upstreams/video-upstream.ts'

/** One submission of one caller. */
export interface VideoTask {
  readonly caller: Caller
  readonly request: VideoRequest
  /** A picture that came as a file; null for none. */
  readonly file: VideoFile | null
  /** UUIDv7; also the id of the hold and of the usage record. */
  readonly requestId: string
}

/**
 * The longest that an upstream may take to accept a job, in milliseconds, and after which no other is asked: both
 * together are well below what counts as abandoned.
 */
const SUBMIT_MS = 180_000
/**
 * Pauses before the upstream's answer is tried to be written again, in milliseconds: it must not be lost for a moment's
 * fault. Source: own choice.
 */
const ACCEPT_PAUSES_MS: readonly number[] = [100, 500, 2_000]

/**
 * Holds the estimate and hands a job to its upstream. Nothing is charged.
 *
 * @throws {ServiceError} 400, 403, 404 for what cannot be asked, 402 naming what is needed, 503 while every upstream
 *   for it is left alone, and what the last upstream answered in place of a job: then the hold is free again.
 */
export async function submitVideo(deps: VideoDeps, task: VideoTask): Promise<VideoJob> {
  const { caller, request, requestId } = task
  const model = deps.findModel(caller, request.model)
  const targets = listTargets(deps, model, videoTarget(request, task.file))
  const { estimate, request: held } = holdOfDearest(targets)
  const placed = await placeJobHold(deps, {
    ...{ requestId, caller, type: 'video', model: request.model, stream: false },
    ...held,
  })
  const job: VideoJob = {
    ...{ jobId: createVideoJobId(placed.hold.placedAt), holdId: placed.hold.id, model: request.model },
    ...{ accountId: caller.accountId, keyId: caller.keyId, estimate, ...placeOf(targets[0]) },
    ...{ upstreamJobId: null, state: 'submitting', progress: 0, createdAt: placed.hold.placedAt },
    ...{ nextStepAt: placed.hold.placedAt + SUBMISSION_MS_MAX, failures: 0, endedAt: null, errorCode: null },
    ...{ cost: null, outputs: 0, settledAt: null, charge: null, fileMissedAt: null, firstReadAt: null },
    ...{ files: null, deletedAt: null },
  }
  await remember(deps, job, placed)
  try {
    return await handOver(deps, { job, targets, target: targets[0], hold: placed.hold })
  } finally {
    placed.release()
  }
}

/** What a job says of the upstream that has it, or is asked to take it. */
function placeOf({ upstream, upstreamModel, settings, price }: VideoTarget): VideoPlace {
  const { seconds, size } = settings
  return { upstream: upstream.name, upstreamModel, price: formatSnapshot(price), seconds, size }
}

/** Writes the job down before anybody is asked to make it. */
async function remember(deps: VideoDeps, job: VideoJob, placed: PlacedJobHold): Promise<void> {
  let isOurs = false
  try {
    isOurs = await deps.jobs.insert(job, placed.takeOver)
  } finally {
    if (!isOurs) await placed.hold.abandon('server_is_overloaded', { upstream: job.upstream })
  }
  if (isOurs) return
  // The hold was taken for an orphan, because this process was silent for too long.
  await giveUp(deps, job, { errorCode: 'gateway_stopped', cost: null })
  throw notKept({ retryAfterSeconds: 1 })
}

/** A job on its way to an upstream. */
interface Submission {
  readonly job: VideoJob
  readonly targets: readonly VideoTarget[]
  target: VideoTarget
  readonly hold: OpenHold
}

/**
 * Asks one upstream after the other to take the job, as far as the last cannot have begun. The job's row names whoever
 * is asked before that one is.
 */
function submit(deps: VideoDeps, submission: Submission): Promise<string> {
  const { job, hold } = submission
  let asked = submission.target
  let isLost = false
  return attemptTargets(deps, submission, {
    run: async (target) => {
      if (target !== asked) {
        isLost = true
        if (!(await deps.jobs.move(job.jobId, placeOf(target)))) throw notKept({ shouldRetry: false })
        isLost = false
        asked = target
      }
      const { settings, upstreamModel, port } = target
      const signal = AbortSignal.timeout(SUBMIT_MS)
      return (await port.submit({ ...settings, upstreamModel, signal })).jobId
    },
    reportsOf: () => [],
    failureOf: () => null,
    isEnded: () => isLost,
    mayRepeat: () => hold.ageMs < SUBMIT_MS,
  })
}

async function handOver(deps: VideoDeps, submission: Submission): Promise<VideoJob> {
  const { job } = submission
  let upstreamJobId: string
  try {
    upstreamJobId = await submit(deps, submission)
  } catch (error) {
    const { lost } = submission.hold.bill
    await giveUp(deps, job, { errorCode: 'upstream_error', cost: lost > 0n ? lost : null })
    throw mayHaveBegun(error) ? withoutRetry(error) : error
  }
  const now = deps.clock.now()
  if (await accept(deps, job, upstreamJobId, nextPollAt(job, now))) {
    return { ...job, ...placeOf(submission.target), state: 'queued', upstreamJobId, nextStepAt: nextPollAt(job, now) }
  }
  // Somebody gave the job up meanwhile; nobody will ask for it, and nobody pays for it.
  await submission.target.port.cancel(upstreamJobId).catch(() => false)
  throw notKept({ shouldRetry: false })
}

/** @param advice whether a client does well to try again by itself: not where an upstream may have begun. */
function notKept(advice: { readonly retryAfterSeconds: 1 } | { readonly shouldRetry: false }): ServiceError {
  return new ServiceError('server_is_overloaded', 'The gateway could not keep this job. You were not charged.', advice)
}

async function accept(deps: VideoDeps, job: VideoJob, upstreamJobId: string, nextStepAt: number): Promise<boolean> {
  for (let attempt = 0; ; attempt++) {
    try {
      if (await deps.jobs.accept(job.jobId, upstreamJobId, nextStepAt)) return true
      // A try whose answer was lost may have written it.
      return (await deps.jobs.get(job.jobId)).upstreamJobId === upstreamJobId
    } catch (error) {
      const pauseMs = ACCEPT_PAUSES_MS[attempt]
      if (pauseMs === undefined) throw error
      await deps.pause(pauseMs)
    }
  }
}

/**
 * Ends a job that the upstream never had: nobody has its id, so nobody is told of it. What fails here is done later.
 */
async function giveUp(
  deps: VideoDeps,
  job: VideoJob,
  failure: { readonly errorCode: VideoErrorCode; readonly cost: AttoUsd | null },
): Promise<void> {
  try {
    const ended = await endJob(deps, job, { state: 'failed', ...failure })
    await settleJob(deps, ended)
    await deps.jobs.delete(job.jobId, deps.clock.now())
  } catch {
    // The job is still there and due: the background work ends it.
  }
}

/** Codes after which nobody knows whether the upstream has begun. */
const UNCERTAIN: ReadonlySet<string> = new Set(['upstream_timeout', 'upstream_error'])

function mayHaveBegun(error: unknown): error is ServiceError {
  return error instanceof ServiceError && UNCERTAIN.has(codeOf(error))
}

/** A client that sends the request again by itself might have two videos made. */
function withoutRetry(error: ServiceError): ServiceError {
  const { code, message, param, internal, details, headers } = error
  return new ServiceError(code, message, {
    ...{ param, internal, details, headers, shouldRetry: false },
    cause: error.cause,
  })
}
