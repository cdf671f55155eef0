/** The files of a completed video for reading: the gateway's own copy where there is one, else the upstream's. */
import { Readable } from 'node:stream'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { Caller } from '../../access/keys/caller.ts'
import { asVideo, HEAD_BYTES } from '../../upstreams/video-signature.ts'
import type { OpenedContent, VideoContent, VideoUpstream, WantedRange } from '../../upstreams/video-upstream.ts'
import { findJob, refreshJob } from './read-video.ts'
import { noteRead, settleJob } from './settle-video.ts'
import type { VideoDeps } from './video-deps.ts'
import type { VideoJob } from './video-job.ts'
import { filesExpireAt } from './video-schedule.ts'

/** A file that can be read in parts. */
export interface SizedVideo {
  readonly kind: 'sized'
  readonly contentType: string
  readonly bytes: number
  /** When it ends, in milliseconds. */
  readonly expiresAt: number
  /** Null where it has gone meanwhile. */
  readonly open: (range: WantedRange | null) => Promise<Readable | null>
}

/** A file of unknown length: it can only be read whole. */
export interface UnsizedVideo {
  readonly kind: 'unsized'
  readonly contentType: string
  readonly expiresAt: number
  readonly open: () => Promise<Readable | null>
}

/** Who asks for a file: a caller with a key, or a client with a signed address, who needs none. */
export type VideoReader = Pick<Caller, 'accountId'> | 'signed'

/**
 * Finds a file of a completed video. Like any other read, it settles the job first.
 *
 * @param index which of the job's files, from 0.
 * @throws {ServiceError} `job_not_found`, `job_not_completed`, `content_expired`, `invalid_value` for an index beyond
 *   the last; 502 or 503 when the upstream cannot give it now.
 */
export async function openVideo(
  deps: VideoDeps,
  reader: VideoReader,
  { jobId, index }: { readonly jobId: string; readonly index: number },
): Promise<SizedVideo | UnsizedVideo> {
  const known = reader === 'signed' ? await findSigned(deps, jobId) : await findJob(deps, reader, jobId)
  const { job: seen } = await refreshJob(deps, known)
  const job = await noteRead(deps, await settleJob(deps, seen))
  const expiresAt = filesExpireAt(job)
  if (expiresAt === null) throw notCompleted(job)
  if (expiresAt <= deps.clock.now()) throw expired()
  if (index >= job.outputs) {
    throw new ServiceError('invalid_value', `Invalid value for 'index': this video has ${job.outputs} file(s).`, {
      param: 'index',
    })
  }
  return (await openKept(deps, job, { index, expiresAt })) ?? openAtUpstream(deps, job, { index, expiresAt })
}

async function findSigned(deps: VideoDeps, jobId: string): Promise<VideoJob> {
  const job = await deps.jobs.findSigned(jobId)
  if (job === null) throw new ServiceError('job_not_found', 'This video no longer exists.', { param: 'jobId' })
  return job
}

function notCompleted({ state }: VideoJob): ServiceError {
  const message = state === 'failed' ? 'This video has failed; it has no file.' : 'This video is not completed yet.'
  return new ServiceError('job_not_completed', message, { param: 'jobId', shouldRetry: false })
}

function expired(): ServiceError {
  return new ServiceError('content_expired', 'The file of this video is no longer kept.', { param: 'jobId' })
}

interface Place {
  readonly index: number
  readonly expiresAt: number
}

async function openKept({ files }: VideoDeps, job: VideoJob, { index, expiresAt }: Place): Promise<SizedVideo | null> {
  const name = job.files?.[index]
  const facts = name === undefined ? null : await files.head(name)
  if (name === undefined || facts === null) return null
  const { contentType, bytes } = facts
  return { kind: 'sized', contentType, bytes, expiresAt, open: (range) => files.open(name, range) }
}

async function openAtUpstream(
  deps: VideoDeps,
  job: VideoJob,
  { index, expiresAt }: Place,
): Promise<SizedVideo | UnsizedVideo> {
  const upstream = deps.holderOf(job)
  const { upstreamJobId } = job
  if (upstream === null) {
    throw new ServiceError('upstream_unavailable', 'The upstream of this video is no longer configured.')
  }
  const source = { upstream, jobId: upstreamJobId, index }
  // One byte tells how long the file is, and whether its parts can be had.
  const first = await upstream.open(upstreamJobId, { index, range: { start: 0, end: 0 } })
  if (first.kind === 'gone') throw expired()
  if (first.kind !== 'open') throw new ServiceError('upstream_empty', 'The upstream gave an empty file.')
  const { contentType, part, length, body } = first.content
  body.on('error', () => undefined).destroy()
  const bytes = part === null ? length : part.total
  if (bytes === null) return { kind: 'unsized', contentType, expiresAt, open: () => readWhole(source) }
  return {
    ...{ kind: 'sized', contentType, bytes, expiresAt },
    open: (range) => (range === null ? readWhole(source) : readPart(source, range)),
  }
}

interface Source {
  readonly upstream: VideoUpstream
  readonly jobId: string
  readonly index: number
}

function contentOf(opened: OpenedContent): VideoContent | null {
  return opened.kind === 'open' ? opened.content : null
}

async function readWhole({ upstream, jobId, index }: Source): Promise<Readable | null> {
  const content = contentOf(await upstream.open(jobId, { index, range: null }))
  return content === null ? null : Readable.from(asVideo(piecesOf(content.body)), { objectMode: false })
}

/** A file as the upstream sends it. What it breaks off with is the upstream's failure, also before the first byte. */
async function* piecesOf(body: Readable): AsyncGenerator<Buffer> {
  try {
    yield* body as AsyncIterable<Buffer>
  } catch (cause) {
    throw new ServiceError('upstream_error', 'The upstream broke off in the middle of the video.', { cause })
  }
}

async function readPart({ upstream, jobId, index }: Source, range: WantedRange): Promise<Readable | null> {
  const content = contentOf(await upstream.open(jobId, { index, range }))
  if (content === null) return null
  const { part, body } = content
  if (part === null) return Readable.from(cut(body, range), { objectMode: false })
  if (part.start === range.start && part.end === range.end) {
    const isTold = range.start === 0 && range.end >= HEAD_BYTES - 1
    return Readable.from(isTold ? asVideo(piecesOf(body)) : piecesOf(body), { objectMode: false })
  }
  body.on('error', () => undefined).destroy()
  throw new ServiceError('upstream_error', 'The upstream returned a different part of the file than was requested.')
}

/** The wanted part of a stream that begins at the file's start. */
async function* cut(body: Readable, { start, end }: WantedRange): AsyncGenerator<Uint8Array> {
  let at = 0
  for await (const piece of asVideo(piecesOf(body))) {
    const from = Math.max(start - at, 0)
    const to = Math.min(end + 1 - at, piece.length)
    at += piece.length
    if (from < to) yield piece.subarray(from, to)
    // Leaving the loop ends the body: what is behind the part is not fetched.
    if (at > end) return
  }
}
