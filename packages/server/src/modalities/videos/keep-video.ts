/** The gateway's own copies of finished videos: made from the upstream's stream, piece by piece. */
import { ServiceError } from '../../platform/errors/service-error.ts'
import { MediaTooLargeError } from '../../platform/files/bounded-source.ts'
import { asVideo } from '../../upstreams/video-signature.ts'
import type { VideoContent } from '../../upstreams/video-upstream.ts'
import type { VideoDeps } from './video-deps.ts'
import type { VideoJob } from './video-job.ts'
import { filesExpireAt, filesExpireAtLatest } from './video-schedule.ts'

/** Largest file that is kept, in bytes; a larger one is passed through only. Source: decision 0024. */
const KEPT_BYTES_MAX = 4 * 1024 * 1024 * 1024

/** What became of an attempt to keep a job's files. */
export type Kept =
  | { readonly kind: 'kept'; readonly job: VideoJob }
  /** The upstream no longer has them. */
  | { readonly kind: 'gone' }

/**
 * Copies every file of a completed job, unless that was done. Files that are too large to be kept stay with the
 * upstream alone.
 *
 * @param signal stops copying.
 * @throws {ServiceError} when the upstream cannot give them now. Nothing is kept then.
 */
export async function keepFiles(deps: VideoDeps, job: VideoJob, signal: AbortSignal): Promise<Kept> {
  if (job.files !== null) return { kind: 'kept', job }
  const names: string[] = []
  try {
    for (let index = 0; index < job.outputs; index++) {
      const name = await keepFile(deps, job, { index, signal })
      if (name === null) {
        await removeAll(deps, names)
        return { kind: 'gone' }
      }
      names.push(name)
    }
  } catch (error) {
    await removeAll(deps, names.splice(0))
    if (!(error instanceof MediaTooLargeError)) throw error
  }
  const latest = { ...job, files: names }
  if (!(await deps.jobs.noteFiles(job.jobId, names, filesExpireAt(latest)))) await removeAll(deps, names)
  return { kind: 'kept', job: await deps.jobs.get(job.jobId) }
}

async function keepFile(
  deps: VideoDeps,
  job: VideoJob,
  { index, signal }: { readonly index: number; readonly signal: AbortSignal },
): Promise<string | null> {
  const upstream = deps.holderOf(job)
  if (upstream === null) {
    throw new ServiceError('upstream_unavailable', 'The upstream of this video is no longer configured.')
  }
  const opened = await upstream.open(job.upstreamJobId, { index, range: null })
  if (opened.kind !== 'open') return null
  const { body, contentType } = opened.content
  try {
    const { name } = await deps.files.put({
      source: wholeOf(opened.content),
      contentType: contentType === 'video/webm' ? 'video/webm' : 'video/mp4',
      expiresAt: filesExpireAtLatest(job.endedAt ?? deps.clock.now()),
      bytesMax: KEPT_BYTES_MAX,
      signal,
    })
    return name
  } finally {
    body.destroy()
  }
}

/** The bytes of a file; fails when the upstream breaks off, or sends fewer or more than it had announced. */
async function* wholeOf({ body, length }: VideoContent): AsyncGenerator<Uint8Array> {
  let bytes = 0
  try {
    for await (const piece of asVideo(body as AsyncIterable<Buffer>)) {
      bytes += piece.length
      yield piece
    }
  } catch (error) {
    // What the writer of the copy fails with arrives in this loop, too, and is no fault of the upstream.
    throw error === body.errored ? brokenOff(error) : error
  }
  if (bytes === 0 || (length !== null && length !== bytes)) throw brokenOff()
}

function brokenOff(cause?: unknown): ServiceError {
  return new ServiceError('upstream_error', 'The upstream broke off in the middle of the video.', { cause })
}

/** Removes the files of a job that is deleted or over. */
export async function removeFiles(deps: VideoDeps, job: VideoJob): Promise<void> {
  if (job.files === null) return
  await removeAll(deps, job.files)
  await deps.jobs.noteFilesRemoved(job.jobId)
}

async function removeAll({ files }: VideoDeps, names: readonly string[]): Promise<void> {
  for (const name of names) await files.remove(name)
}
