/** Whether the files of a job are there: what its upstream reports is charged for only if a file proves it. */
import { ServiceError } from '../../platform/errors/service-error.ts'
import { beginsLikeVideo, HEAD_BYTES } from '../../upstreams/video-signature.ts'
import type { VideoContent, VideoUpstream } from '../../upstreams/video-upstream.ts'

/** The longest that the files of one job are looked for at a time: one stuck file must not keep its asker. */
const LOOK_MS = 10_000

/**
 * Asks for the beginning of each file. A file that cannot be asked for now counts as not there: its job is looked at
 * again.
 *
 * @param outputs how many files the upstream says that there are.
 * @returns whether each can be read. Source: decision 0088.
 */
export async function hasFiles(
  upstream: Pick<VideoUpstream, 'open'>,
  upstreamJobId: string,
  outputs: number,
): Promise<boolean> {
  const signal = AbortSignal.timeout(LOOK_MS)
  try {
    for (let index = 0; index < outputs; index++) {
      const opened = await upstream.open(upstreamJobId, { index, range: { start: 0, end: HEAD_BYTES - 1 }, signal })
      if (opened.kind !== 'open' || !(await isVideo(opened.content))) return false
    }
    return true
  } catch (error) {
    if (error instanceof ServiceError) return false
    throw error
  }
}

/** The beginning must be a video's, from its first byte, and as long as the upstream says. */
async function isVideo(content: VideoContent): Promise<boolean> {
  if (content.part !== null && content.part.start !== 0) return false
  const head = await headOf(content.body)
  return head.length >= leastBytes(content) && beginsLikeVideo(head)
}

/** How much of the beginning must come: what an upstream announces and does not send is a file that broke off. */
function leastBytes({ length, part }: VideoContent): number {
  return Math.min(HEAD_BYTES, part === null ? (length ?? 0) : part.end + 1)
}

/** What comes first; an upstream that ignores ranges is read no further. Less where it broke off, or came too late. */
async function headOf(body: VideoContent['body']): Promise<Buffer> {
  const pieces: Buffer[] = []
  let bytes = 0
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      pieces.push(piece)
      bytes += piece.length
      if (bytes >= HEAD_BYTES) break
    }
  } catch {
    return Buffer.alloc(0)
  } finally {
    body.on('error', () => undefined).destroy()
  }
  return Buffer.concat(pieces)
}
