import { Counter, Gauge, type Registry } from 'prom-client'

/** Jobs that are not settled yet, over all processes on the database. */
export interface OpenVideoJobs {
  readonly queued: number
  readonly inProgress: number
  readonly unsettled: number
}

/** Takes down what becomes of video jobs. */
export interface VideoMetrics {
  /** A job has got its verdict. @param errorCode null for a completed one. */
  ended(state: string, errorCode: string | null): void
  /** What is open now; null when the database did not answer in time. */
  setOpen(jobs: OpenVideoJobs | null): void
}

/** Registers the metrics of video jobs. */
export function createVideoMetrics(registry: Registry): VideoMetrics {
  const ended = new Counter({
    name: 'svc_video_jobs_ended_total',
    help: 'Video jobs whose verdict this process has written, by state and error code.',
    labelNames: ['state', 'code'],
    registers: [registry],
  })
  const open = new Gauge({
    name: 'svc_database_video_jobs_open',
    help: 'Video jobs of all processes that are not settled, by state; unsettled ones have ended.',
    labelNames: ['state'],
    registers: [registry],
  })
  return {
    ended: (state, errorCode) => ended.inc({ state, code: errorCode ?? 'none' }),
    setOpen: (jobs) => {
      // A value that is not known must not be reported as the one before.
      open.reset()
      if (jobs === null) return
      open.set({ state: 'queued' }, jobs.queued)
      open.set({ state: 'in_progress' }, jobs.inProgress)
      open.set({ state: 'unsettled' }, jobs.unsettled)
    },
  }
}
