import { pollAfterMs } from '../videos/render-video.ts'
import type { VideoJob } from '../videos/video-job.ts'
import type { RouteCall } from './route.ts'

/**
 * Says when a poller should ask again, and that nobody may keep the answer. Source: openai-python, `videos.poll`; RFC
 * 9111, section 5.2.
 */
export function tellPollTime({ reply }: RouteCall, job: VideoJob): void {
  reply.header('cache-control', 'no-store')
  const milliseconds = pollAfterMs(job)
  if (milliseconds !== null) reply.header('openai-poll-after-ms', String(milliseconds))
}
