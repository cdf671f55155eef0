import {
  creditsJson,
  MARGIN_BPS,
  type Printed,
  usdJson,
  type VideoListReply,
  type VideoModelEntry,
  type VideoModelListReply,
  type VideoReply,
  ZERO,
} from '@svc/contract'
import type { Model } from '../../catalog/model.ts'
import type { UrlSigner } from '../../platform/files/url-signer.ts'
import type { AttoUsd } from '../../pricing/price.ts'
import { chargeForCost } from '../../pricing/usd.ts'
import { hasEnded, type VideoErrorCode, type VideoJob } from './video-job.ts'
import { filesExpireAt } from './video-schedule.ts'
import { defaultSeconds, type VideoOffer } from './video-settings.ts'

/** What addresses are made of. */
export interface VideoAddresses {
  /** Origin and `/api`, as clients reach them: never what a request's own headers say. */
  readonly publicBaseUrl: string
  readonly signer: Pick<UrlSigner, 'sign'>
}

const messages: Readonly<Record<VideoErrorCode, string>> = {
  upstream_error: 'The upstream could not make this video. You were not charged.',
  content_policy_violation: 'The model provider refused the content of this video. You were not charged.',
  upstream_empty: 'The upstream made no file. You were not charged.',
  cancelled: 'This video was cancelled. You were not charged.',
  expired: 'This video was not made in time. You were not charged.',
  gateway_stopped: 'The gateway stopped before the upstream had this video. You were not charged.',
}

/** The path of a file of a job, as it is signed. */
export function contentPath(jobId: string, index: number): string {
  return `/v1/videos/${jobId}/content?index=${index}`
}

const seconds = (ms: number): number => Math.floor(ms / 1_000)

/** A job as the wire shows it. Upstream texts are not repeated: they may quote the prompt. */
export function renderVideo(addresses: VideoAddresses, job: VideoJob): Printed<VideoReply> {
  const isCompleted = job.state === 'completed' && job.settledAt !== null
  const status = job.state === 'completed' && !isCompleted ? 'in_progress' : job.state
  const expiresAt = isCompleted ? filesExpireAt(job) : null
  const charge = job.charge ?? ZERO
  const { publicBaseUrl, signer } = addresses
  const urls =
    expiresAt === null
      ? []
      : Array.from(
          { length: job.outputs },
          (_, index) => `${publicBaseUrl}${signer.sign(contentPath(job.jobId, index), expiresAt)}`,
        )
  return {
    ...{ id: job.jobId, object: 'video', model: job.model, status },
    progress: job.progress,
    created_at: seconds(job.createdAt),
    completed_at: isCompleted && job.endedAt !== null ? seconds(job.endedAt) : null,
    expires_at: expiresAt === null ? null : Math.ceil(expiresAt / 1_000),
    prompt: null,
    ...{ seconds: String(job.seconds), size: job.size, remixed_from_video_id: null },
    polling_url: `${publicBaseUrl}/v1/videos/${job.jobId}`,
    ...(isCompleted
      ? {
          unsigned_urls: urls,
          data: urls.map((url) => ({ url, content_type: 'video/mp4' })),
          usage: { cost: usdJson(charge) },
        }
      : {}),
    // Only then: readers take the mere presence of `error` for a failure.
    ...(status === 'failed' && job.errorCode !== null
      ? { error: { code: job.errorCode, message: messages[job.errorCode] } }
      : {}),
    svc: {
      credits_estimate: creditsJson(job.estimate),
      ...(isCompleted ? { credits_charged: creditsJson(charge) } : {}),
      margin_bps: MARGIN_BPS,
    },
  }
}

/** How long a poller should wait before it asks again, in milliseconds; null when there is nothing to wait for. */
export function pollAfterMs(job: VideoJob): number | null {
  return hasEnded(job) ? null : POLL_AFTER_MS
}

/** Source: decision 0024 (video jobs). */
const POLL_AFTER_MS = 5_000

/** One page of jobs. */
export function renderVideoList(
  addresses: VideoAddresses,
  { jobs, hasMore }: { readonly jobs: readonly VideoJob[]; readonly hasMore: boolean },
): Printed<VideoListReply> {
  return {
    object: 'list',
    data: jobs.map((job) => renderVideo(addresses, job)),
    first_id: jobs[0]?.jobId ?? null,
    last_id: jobs.at(-1)?.jobId ?? null,
    has_more: hasMore,
  }
}

/** A video model that is on offer. */
export interface OfferedVideoModel {
  readonly model: Model
  readonly offer: VideoOffer
}

/** The list of models that make videos. */
export function renderVideoModels(models: readonly OfferedVideoModel[]): Printed<VideoModelListReply> {
  return { object: 'list', data: models.map(renderVideoModel) }
}

const credits = (cost: AttoUsd) => creditsJson(chargeForCost(cost))

function renderVideoModel({ model, offer }: OfferedVideoModel): Printed<VideoModelEntry> {
  const { prices, facts, isGuess } = offer
  return {
    ...{ id: model.id, object: 'model', created: model.created, owned_by: model.ownedBy },
    ...{ name: model.name, description: model.description },
    credits_per_second: credits(prices.perSecond),
    pricing: [
      ...prices.variants.map(({ resolution, audio, perSecond }) => ({
        ...{ unit: 'second' as const, credits: credits(perSecond) },
        ...(resolution === null ? {} : { resolution }),
        ...(audio === null ? {} : { audio }),
      })),
      ...(prices.perInputImage === null
        ? []
        : [{ unit: 'input_image' as const, credits: credits(prices.perInputImage) }]),
      ...(prices.minimum === null ? [] : [{ unit: 'generation' as const, credits: credits(prices.minimum) }]),
    ],
    estimated: isGuess,
    supported_durations: [...facts.durations],
    supported_resolutions: [...facts.resolutions],
    supported_aspect_ratios: [...facts.aspectRatios],
    supported_sizes: [...facts.sizes],
    generate_audio: facts.generatesAudio,
    default_duration: defaultSeconds(facts.durations),
    default_resolution: prices.defaultResolution,
  }
}
