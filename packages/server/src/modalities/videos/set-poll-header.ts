import { pollAfterMs } from './render-video.ts'
import type { VideoJob } from './video-job.ts'
import type { RouteCall } from '../../edge/route.ts'

/**
 * Says when a poller should ask again, and that the answer must not be cached. Source: openai-python, `videos.poll`;
 * RFC 9111, section 5.2.
 *
 * @returns the headers.
 */
export function setPollHeader({ reply }: RouteCall, job: VideoJob): Readonly<Record<string, string>> {
  const milliseconds = pollAfterMs(job)
  const headers = {
    'cache-control': 'no-store',
    ...(milliseconds === null ? {} : { 'openai-poll-after-ms': String(milliseconds) }),
  }
  reply.headers(headers)
  return headers
}
