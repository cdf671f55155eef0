import type { JobHoldDeps } from '../../money/billing/job-hold.ts'
import type { BelievedClock } from '../../platform/runtime/believed-clock.ts'
import type { MediaFiles } from '../../platform/files/media-files.ts'
import type { PaidDeps } from '../../pipeline/paid-work.ts'
import type { VideoUpstream } from '../../upstreams/video-upstream.ts'
import type { VideoJob } from './video-job.ts'
import type { VideoJobStore } from './video-job-store.ts'

/** What the use cases of this room are given. */
export interface VideoDeps extends PaidDeps, JobHoldDeps {
  /** What cannot be undone is due by its `earliest`. */
  readonly clock: BelievedClock
  readonly jobs: VideoJobStore
  readonly files: Pick<MediaFiles, 'put' | 'head' | 'open' | 'remove'>
  /** The upstream that has a job, by its name; null where it makes no videos, or is no longer configured. */
  readonly holderOf: (job: Pick<VideoJob, 'upstream'>) => VideoUpstream | null
  /** Polls that run now, by job: callers of one process who ask at the same moment share an answer. */
  readonly polls: Map<string, Promise<VideoJob>>
  /** Called once with each job that has ended, by the process that saw it. It must not throw. */
  readonly onEnded?: ((job: VideoJob) => void) | undefined
}
