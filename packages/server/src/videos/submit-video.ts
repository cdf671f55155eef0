import { nanocreditsOf, type Nanocredits, type VideoRequest } from '@svc/contract'
import { placeJobHold, type PlacedJobHold } from '../billing/job-hold.ts'
import { codeOf } from '../errors/code-of.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { Caller } from '../keys/caller.ts'
import type { VideoFile, VideoUpstream } from '../upstream/video-upstream.ts'
import { endJob, settleJob } from './settle-video.ts'
import type { VideoDeps } from './video-deps.ts'
import { createVideoJobId, type VideoErrorCode, type VideoJob } from './video-job.ts'
import { chargeVideo, formatSnapshot, notePrice } from './video-price.ts'
import { nextPollAt, SUBMISSION_MS_MAX } from './video-schedule.ts'
import { chooseSettings, countPictures, type VideoSettings } from './video-settings.ts'

export type { VideoFile } from '../upstream/video-upstream.ts'

/** One submission of one caller. */
export interface VideoTask {
  readonly caller: Caller
  readonly request: VideoRequest
  /** A picture that came as a file; null for none. */
  readonly file: VideoFile | null
  /** UUIDv7; also the id of the hold and of the usage record. */
  readonly requestId: string
}

/** The longest that an upstream may take to accept a job, in milliseconds: well below what counts as abandoned. */
const SUBMIT_MS = 180_000
/** How often the upstream's answer is tried to be written: it must not be lost for a moment's fault. */
const ACCEPT_TRIES = 3

/**
 * Holds the estimate and hands a job to its upstream. Nothing is charged.
 *
 * @throws {ServiceError} 400, 403, 404 for what cannot be asked, 402 naming what is needed, and what the upstream
 *   answered in place of a job: then the hold is free again.
 */
export async function submitVideo(deps: VideoDeps, task: VideoTask): Promise<VideoJob> {
  const { model, offer } = deps.findModel(task.caller, task.request.model)
  const upstream = deps.upstreamOf(model.upstream)
  if (upstream === null) {
    throw new ServiceError('invalid_value', 'The upstream of this model makes no videos.', { param: 'model' })
  }
  const settings = chooseSettings(task.request, offer, task.file)
  upstream.refuseOpen?.(model.upstreamModel)
  const price = notePrice(offer.prices, { ...settings, images: countPictures(settings) })
  const estimate = chargeVideo(price, null).charge
  const placed = await placeJobHold(deps, {
    ...{ requestId: task.requestId, caller: task.caller, type: 'video', model: task.request.model, stream: false },
    ...holdOf(estimate, settings.seconds),
  })
  const job: VideoJob = {
    ...{ jobId: createVideoJobId(placed.hold.placedAt), holdId: placed.hold.id, model: task.request.model },
    ...{ accountId: task.caller.accountId, keyId: task.caller.keyId, estimate, price: formatSnapshot(price) },
    ...{ upstream: upstream.name, upstreamModel: model.upstreamModel, upstreamJobId: null, state: 'submitting' },
    ...{ progress: 0, seconds: settings.seconds, size: settings.size, createdAt: placed.hold.placedAt },
    ...{ nextStepAt: placed.hold.placedAt + SUBMISSION_MS_MAX, failures: 0, endedAt: null, errorCode: null },
    ...{ cost: null, outputs: 0, settledAt: null, charge: null, firstReadAt: null, files: null, deletedAt: null },
  }
  await remember(deps, job, placed)
  try {
    return await handOver(deps, job, { upstream, settings })
  } finally {
    placed.release()
  }
}

/** The estimate as so much a second and the rest, so that a 402 can say how many seconds the credits would pay for. */
function holdOf(estimate: Nanocredits, seconds: number) {
  const perUnit = nanocreditsOf(estimate / BigInt(seconds))
  const fixed = nanocreditsOf(estimate - perUnit * BigInt(seconds))
  return { fixed, perUnit, units: seconds, policy: 'exact', firstUnits: seconds, flush: 'at_once' } as const
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
  await giveUp(deps, job, 'gateway_stopped')
  throw new ServiceError('server_is_overloaded', 'The gateway could not keep this job. You were not charged.', {
    retryAfterSeconds: 1,
  })
}

async function handOver(
  deps: VideoDeps,
  job: VideoJob,
  { upstream, settings }: { readonly upstream: VideoUpstream; readonly settings: VideoSettings },
): Promise<VideoJob> {
  let upstreamJobId: string
  try {
    const signal = AbortSignal.timeout(SUBMIT_MS)
    upstreamJobId = (await upstream.submit({ ...settings, upstreamModel: job.upstreamModel, signal })).jobId
  } catch (error) {
    await giveUp(deps, job, 'upstream_error')
    throw mayHaveBegun(error) ? withoutRetry(error) : error
  }
  const now = deps.clock.now()
  if (await accept(deps, job, upstreamJobId, nextPollAt(job, now))) {
    return { ...job, state: 'queued', upstreamJobId, nextStepAt: nextPollAt(job, now) }
  }
  // Somebody gave the job up meanwhile; nobody will ask for it, and nobody pays for it.
  await upstream.cancel(upstreamJobId).catch(() => false)
  throw new ServiceError('server_is_overloaded', 'The gateway could not keep this job. You were not charged.', {
    shouldRetry: false,
  })
}

async function accept(deps: VideoDeps, job: VideoJob, upstreamJobId: string, nextStepAt: number): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await deps.jobs.accept(job.jobId, upstreamJobId, nextStepAt)
    } catch (error) {
      if (attempt >= ACCEPT_TRIES) throw error
    }
  }
}

/**
 * Ends a job that the upstream never had: nobody has its id, so nobody is told of it. What fails here is done later.
 */
async function giveUp(deps: VideoDeps, job: VideoJob, errorCode: VideoErrorCode): Promise<void> {
  try {
    const ended = await endJob(deps, job, { state: 'failed', errorCode, cost: null })
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
