/** The adapter for servers with OpenAI's video jobs, and for OpenRouter, which differs in the form of a submission. */
import type { ServiceError } from '../../platform/errors/service-error.ts'
import { parseJsonText } from '../../platform/json/parse-json.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { type CollectedResponse, collectResponse } from '../http-exchange.ts'
import type { UpstreamClient } from '../upstream-client.ts'
import { transportFailure, upstreamFailure } from '../upstream-failure.ts'
import { openInline } from '../inline-video.ts'
import { type ContentAddress, requestContent } from '../video-content.ts'
import type {
  OpenedContent,
  SubmittedVideo,
  VideoReport,
  VideoSubmission,
  VideoUpstream,
  WantedOutput,
} from '../video-upstream.ts'
import type { Dialect } from './dialect.ts'
import { chatFailure, findError, retryAfterSeconds } from './errors.ts'
import { costOfFailure, isObject } from './usage.ts'
import { readJobId, readVideoReport, sourceText } from './video-report.ts'
import type { FormBody } from './video-form.ts'

/** In what upstreams of this kind differ. */
export interface VideoDialect extends Pick<Dialect, 'reportsCost'> {
  writeBody(submission: VideoSubmission): FormBody
  /** Whether a running job can be cancelled by `DELETE`. */
  readonly cancels: boolean
}

export interface VideosOptions {
  readonly name: string
  readonly client: UpstreamClient
  readonly clock: Clock
  readonly dialect: VideoDialect
  /** Reads a file from an address that is not the upstream's own, without its key; null where that is not done. */
  readonly openElsewhere: ((url: URL, wanted: Pick<WantedOutput, 'range' | 'signal'>) => Promise<OpenedContent>) | null
}

/** Longest answer about a job that is read, in bytes. */
const ANSWER_BYTES_MAX = 1024 * 1024
/** The longest that an answer about a job may take, in milliseconds: one stuck job must not keep its asker. */
const REPORT_MS = 10_000

interface JobRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly body: FormBody | null
  readonly signal: AbortSignal
}

async function exchange({ client, name }: VideosOptions, request: JobRequest): Promise<CollectedResponse> {
  const type = request.body === null ? {} : { 'content-type': request.body.contentType }
  try {
    return await collectResponse(
      client.dispatcher,
      {
        origin: client.origin,
        path: `${client.basePath}${request.path}`,
        method: request.method,
        headers: { ...client.headers, accept: 'application/json', ...type },
        body: request.body?.body ?? null,
      },
      { signal: request.signal, bytesMax: ANSWER_BYTES_MAX },
    )
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    throw isLate ? upstreamFailure('timeout', { upstream: name, cause: error }) : transportFailure(name, error)
  }
}

function failureOf({ name, clock, client, dialect }: VideosOptions, response: CollectedResponse): ServiceError {
  const value = parseJsonText(response.body)
  // Whether failures are free says nothing here: a video whose submission has failed may be made all the same.
  return chatFailure({
    upstream: name,
    value,
    status: response.status,
    retryAfterSeconds: retryAfterSeconds(response.headers, clock.now()),
    apiKey: client.apiKey,
    cost: costOfFailure(value, () => response.body, dialect),
  })
}

const isSuccess = ({ status }: CollectedResponse): boolean => status >= 200 && status < 300

async function submit(options: VideosOptions, submission: VideoSubmission): Promise<SubmittedVideo> {
  const body = options.dialect.writeBody(submission)
  const response = await exchange(options, { method: 'POST', path: '/videos', body, signal: submission.signal })
  const value = parseJsonText(response.body)
  const jobId = readJobId(value)
  // A job that has failed already still has an id; its report says so. An error without an id is a refusal, and the id
  // of a request is none of a job beside it.
  const isJob = isObject(value) && (value['id'] ?? value['job_id'] ?? null) !== null
  if (!isSuccess(response) || (!isJob && findError(value) !== null)) throw failureOf(options, response)
  if (jobId === null) throw upstreamFailure('broken', { upstream: options.name, status: response.status })
  return { jobId }
}

const jobPath = (jobId: string): string => `/videos/${encodeURIComponent(jobId)}`

async function report(options: VideosOptions, jobId: string): Promise<VideoReport> {
  const signal = AbortSignal.timeout(REPORT_MS)
  const response = await exchange(options, { method: 'GET', path: jobPath(jobId), body: null, signal })
  if (response.status === 404 || response.status === 410) return { kind: 'unknown' }
  if (!isSuccess(response)) throw failureOf(options, response)
  const found = readVideoReport(response.body, options.dialect)
  if (found === null) throw upstreamFailure('broken', { upstream: options.name, status: response.status })
  return found
}

/** A job counts as cancelled when the answer says so, or says that the job is gone. */
function confirmsCancel(value: unknown): boolean {
  if (!isObject(value)) return false
  const status = typeof value['status'] === 'string' ? value['status'].toLowerCase() : null
  return status === null ? value['deleted'] === true : status === 'cancelled' || status === 'canceled'
}

async function cancel(options: VideosOptions, jobId: string): Promise<boolean> {
  if (!options.dialect.cancels) return false
  const signal = AbortSignal.timeout(REPORT_MS)
  const response = await exchange(options, { method: 'DELETE', path: jobPath(jobId), body: null, signal })
  if (isSuccess(response)) return confirmsCancel(parseJsonText(response.body))
  if (response.status >= 400 && response.status < 500 && response.status !== 429) return false
  throw failureOf(options, response)
}

function contentAddress({ client, name }: VideosOptions, path: string): ContentAddress {
  const { dispatcher, origin, headers } = client
  return { upstream: name, dispatcher, origin, headers, path }
}

type Wanted = Pick<WantedOutput, 'range' | 'signal'>

/** The file's own address, as the job names it; null where it names none. */
async function findSource(options: VideosOptions, jobId: string, { index, signal }: WantedOutput): Promise<URL | null> {
  const late = AbortSignal.timeout(REPORT_MS)
  const limits = signal === undefined ? late : AbortSignal.any([signal, late])
  const response = await exchange(options, { method: 'GET', path: jobPath(jobId), body: null, signal: limits })
  const value = isSuccess(response) ? parseJsonText(response.body) : undefined
  const text = sourceText(value, index)
  return text === null ? null : URL.parse(text, `${options.client.origin}/`)
}

async function openAt(options: VideosOptions, url: URL, wanted: Wanted): Promise<OpenedContent> {
  if (url.protocol === 'data:') return openInline(url.href, wanted.range)
  if (url.origin === options.client.origin) return openOwn(options, `${url.pathname}${url.search}`, wanted)
  return openElsewhere(options, url.href, wanted)
}

async function openOwn(options: VideosOptions, path: string, wanted: Wanted): Promise<OpenedContent> {
  const found = await requestContent(contentAddress(options, path), wanted)
  return found.kind === 'elsewhere' ? openElsewhere(options, found.location, wanted) : found
}

function openElsewhere(options: VideosOptions, location: string, wanted: Wanted): Promise<OpenedContent> {
  const url = URL.parse(location, `${options.client.origin}/`)
  if (url === null || options.openElsewhere === null) {
    throw upstreamFailure('broken', { upstream: options.name, upstreamCodes: ['content_elsewhere'] })
  }
  return options.openElsewhere(url, wanted)
}

async function open(options: VideosOptions, jobId: string, wanted: WantedOutput): Promise<OpenedContent> {
  const query = wanted.index === 0 ? '' : `?index=${wanted.index}`
  const path = `${options.client.basePath}${jobPath(jobId)}/content${query}`
  let found: OpenedContent
  try {
    found = await openOwn(options, path, wanted)
    if (found.kind !== 'gone') return found
  } catch (error) {
    // A server without this address may answer it with a page of its own.
    const source = await findSource(options, jobId, wanted).catch(() => null)
    if (source === null) throw error
    return openAt(options, source, wanted)
  }
  // Or with 404: it names the file in its report.
  const source = await findSource(options, jobId, wanted)
  return source === null ? found : openAt(options, source, wanted)
}

/** Builds the adapter. Its connections belong to the client's maker. */
export function createVideos(options: VideosOptions): VideoUpstream {
  return {
    name: options.name,
    submit: (submission) => submit(options, submission),
    report: (jobId) => report(options, jobId),
    cancel: (jobId) => cancel(options, jobId),
    open: (jobId, output) => open(options, jobId, output),
  }
}
