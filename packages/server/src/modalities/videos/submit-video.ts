import { type VideoRequest, ZERO } from '@svc/contract'
import { handToJob } from '../../money/billing/job-hold.ts'
import { codeOf } from '../../platform/errors/code-of.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { findMediaModel } from '../../pipeline/find-model.ts'
import { noteProgress } from '../../pipeline/note-progress.ts'
import { type Paid, type PaidDeps, type PaidTask, type PaidWork, wholeAnswer } from '../../pipeline/paid-work.ts'
import { runPaid } from '../../pipeline/run-paid.ts'
import type { AttoUsd } from '../../pricing/price.ts'
import { usdOfNanocredits } from '../../pricing/usd.ts'
import type { VideoFile } from '../../upstreams/video-upstream.ts'
import { endJob, settleJob } from './settle-video.ts'
import type { VideoDeps } from './video-deps.ts'
import { createVideoJobId, type VideoJob } from './video-job.ts'
import { formatSnapshot, listCost } from './video-price.ts'
import { nextPollAt } from './video-schedule.ts'
import { dearestOf, boundOfDearest, type VideoTarget, videoTarget } from './video-target.ts'

export type { VideoFile } from '../../upstreams/video-upstream.ts'

/** What a client asks to be made. */
export interface VideoCall {
  readonly request: VideoRequest
  /** An image that came as a file; null for none. */
  readonly file: VideoFile | null
}

/** One submission of one caller. */
export type VideoTask = PaidTask<VideoCall>

/** The longest that an upstream may take to accept a job, in milliseconds, and after which no other is asked. */
const SUBMIT_MS = 180_000
/**
 * Pauses before a job that an upstream has begun is tried to be written again, in milliseconds: it must not be lost for
 * a moment's fault. Source: own choice.
 */
const KEEP_PAUSES_MS: readonly number[] = [100, 500, 2_000]

/** Makes the pipeline's work of a video to make. */
export function videoWork<Answer, Reply, End>(
  deps: PaidDeps,
  { call, caller }: VideoTask,
  begin: PaidWork<VideoTarget, Answer, Reply, End>['begin'],
): PaidWork<VideoTarget, Answer, Reply, End> {
  const { request, file } = call
  return {
    // The answer leaves while its hold is open.
    ...{ type: 'video', model: request.model, stream: false, sendsBeforeSettlement: true },
    findModel: () => findMediaModel(deps, caller, { id: request.model, type: 'video' }),
    selectTarget: () => videoTarget(request, file),
    bound: ({ targets }) => boundOfDearest(targets),
    begin,
  }
}

/**
 * Holds the estimate and hands a job to its upstream; the hold goes to the job once the upstream has begun it. Nothing
 * is charged. Source: decision 0024 (video jobs).
 *
 * @throws {ServiceError} 400, 403, 404 for what cannot be asked, 402 naming what is needed, 503 while every upstream
 *   for it is left alone, and what the last upstream answered in place of a job: then the hold is free again.
 */
export function submitVideo(deps: VideoDeps, task: VideoTask): Promise<VideoJob> {
  const work = videoWork<string, VideoJob, VideoJob>(deps, task, (paid) => ({
    sink: {
      ...wholeAnswer<VideoJob>(),
      get mayBeginAnew() {
        return paid.hold.ageMs < SUBMIT_MS
      },
    },
    ask: (target) => submit(paid, target),
    // The cost of a job is read when it is polled.
    reportsOf: () => [],
    explain: (error) => (mayHaveBegun(error) ? withoutRetry(error) : error),
    handOver: (upstreamJobId) => handOverToJob(deps, task, paid, upstreamJobId),
  }))
  return runPaid(deps, task, work)
}

/**
 * Asks one upstream. The journal of open holds names it before: if this process dies it may have begun all the same.
 */
async function submit({ hold }: Paid<VideoTarget>, target: VideoTarget): Promise<string> {
  const { settings, upstreamModel, port } = target
  const nothing = { charge: ZERO, cost: 0n, pricing: null, promptTokens: 0, completionTokens: 0, generationId: null }
  noteProgress(hold, target, () => nothing)
  await hold.note()
  return (await port.submit({ ...settings, upstreamModel, signal: AbortSignal.timeout(SUBMIT_MS) })).jobId
}

/**
 * Writes down the job that the upstream has begun, and gives it its hold.
 *
 * @throws {ServiceError} 503 where that cannot be done: the upstream is asked to stop, and the request is free.
 */
async function handOverToJob(
  deps: VideoDeps,
  task: VideoTask,
  { hold, targets, target }: Paid<VideoTarget>,
  upstreamJobId: string,
): Promise<VideoJob> {
  const { accountId, keyId } = task.caller
  const { upstream, upstreamModel, settings, price, port } = target
  const { placedAt: createdAt } = hold
  const job: VideoJob = {
    ...{ jobId: createVideoJobId(createdAt), holdId: hold.id, accountId, keyId, model: task.call.request.model },
    ...{ upstream: upstream.name, upstreamModel, price: formatSnapshot({ ...price, most: hold.request.most }) },
    ...{ seconds: settings.seconds, size: settings.size, estimate: dearestOf(targets).estimate },
    ...{ upstreamJobId, state: 'queued', progress: 0, createdAt },
    ...{ nextStepAt: nextPollAt({ createdAt }, deps.clock.now()), failures: 0, endedAt: null, errorCode: null },
    ...{ cost: null, outputs: 0, settledAt: null, charge: null, fileMissedAt: null, firstReadAt: null },
    ...{ files: null, deletedAt: null },
  }
  let cause: unknown
  try {
    // It is false where the hold was taken for an orphan, because this process was silent for too long.
    if (await tryToKeep(() => handToJob(deps, hold, (takeOver) => deps.jobs.insert(job, takeOver)), deps.pause)) {
      return job
    }
  } catch (error) {
    cause = error
  }
  const isGivenUp = await port.cancel(upstreamJobId).catch(() => false)
  // What the upstream does not give up it may make and bill: our loss.
  const lost = isGivenUp ? null : usdOfNanocredits(listCost(price))
  if (lost !== null) hold.bill.note({ cost: lost, generationId: upstreamJobId }, upstream)
  await abandon(deps, job, lost).catch(() => undefined)
  const message = 'The gateway could not keep this job. You were not charged.'
  // An upstream that does not give it up may make it: a client does not well to ask for another by itself.
  throw new ServiceError('server_is_overloaded', message, { cause, shouldRetry: false })
}

async function tryToKeep(keep: () => Promise<boolean>, pause: VideoDeps['pause']): Promise<boolean> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await keep()
    } catch (error) {
      const pauseMs = KEEP_PAUSES_MS[attempt]
      if (pauseMs === undefined) throw error
      await pause(pauseMs)
    }
  }
}

/**
 * Ends a job whose client never learns its id, if it was written down after all. What fails here is done later: its row
 * is there, and due.
 */
async function abandon(deps: VideoDeps, job: VideoJob, cost: AttoUsd | null): Promise<void> {
  const ended = await endJob(deps, job, { state: 'failed', errorCode: 'gateway_stopped', cost })
  await settleJob(deps, ended)
  await deps.jobs.delete(job.jobId, deps.clock.now())
}

/** Codes after which it is unknown whether the upstream has begun. */
const UNCERTAIN: ReadonlySet<string> = new Set(['upstream_timeout', 'upstream_error'])

function mayHaveBegun(error: unknown): error is ServiceError {
  return error instanceof ServiceError && UNCERTAIN.has(codeOf(error))
}

/** A client that sends the request again by itself might have two videos made. */
function withoutRetry(error: ServiceError): ServiceError {
  return new ServiceError(error.code, error.message, { ...error.options, shouldRetry: false, cause: error.cause })
}
