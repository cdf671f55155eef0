/** Whether the files of a job are there: what its upstream reports is charged for only if a file proves it. */
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { VideoContent, VideoUpstream } from '../../upstreams/video-upstream.ts'

/** The longest that the files of one job are looked for at a time: one stuck file must not keep its asker. */
const LOOK_MS = 10_000

/** What an error page or an error object begins with, and no video does. */
const TEXT_STARTS: ReadonlySet<number> = new Set(Buffer.from('{[<'))

/**
 * Asks for the first byte of each file. A file that cannot be asked for now counts as not there: its job is looked at
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
      const opened = await upstream.open(upstreamJobId, { index, range: { start: 0, end: 0 }, signal })
      if (opened.kind !== 'open' || !(await beginsLikeVideo(opened.content))) return false
    }
    return true
  } catch (error) {
    if (error instanceof ServiceError) return false
    throw error
  }
}

/** Looks at what comes first; an upstream that ignores ranges is read no further. */
async function beginsLikeVideo({ body }: Pick<VideoContent, 'body'>): Promise<boolean> {
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      const [first] = piece
      if (first !== undefined) return !TEXT_STARTS.has(first)
    }
  } catch {
    // It broke off before its first byte, or that came too late.
  } finally {
    body.on('error', () => undefined).destroy()
  }
  return false
}
