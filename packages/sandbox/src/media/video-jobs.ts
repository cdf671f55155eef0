import { randomUUID } from 'node:crypto'
import { SandboxError } from '../sandbox-error.ts'
import { isScripted, SCRIPTED_JOB_PREFIX } from '../sandbox-prefix.ts'
import type { MediaDeps, MediaTask } from './begin-media.ts'
import { costOfMedia } from './media-cost.ts'
import type { VideoRequest } from './video-request.ts'

/** In OpenRouter's words. */
export type JobStatus = 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled' | 'expired'

export interface SandboxJob {
  readonly id: string
  readonly request: VideoRequest
  readonly task: MediaTask
  readonly createdMs: number
  status: JobStatus
  /** From 0 to 100. */
  progress: number
  completedMs: number | null
  /** Why it failed; null otherwise. */
  error: string | null
  /** USD as decimal text; null where it is not reported. */
  cost: string | null
  file: Uint8Array | null
  /** How often it was polled. */
  polls: number
}

export interface VideoJobs {
  /** @throws {SandboxError} 429 when too many are open. */
  submit(request: VideoRequest, task: MediaTask): SandboxJob
  find(id: string): SandboxJob | null
  /** @returns whether it could still be cancelled. */
  cancel(job: SandboxJob): boolean
  close(): void
}

/** Jobs that may wait or run, and bytes of finished files that are kept; the oldest go first. Source: own choice. */
const OPEN_MAX = 20
const KEPT_BYTES = 64 * 1_048_576
const KEPT_JOBS = 2_000

/** Keeps jobs in memory, as an upstream that forgets what is old does. */
export function createVideoJobs(deps: MediaDeps): VideoJobs {
  const jobs = new Map<string, SandboxJob>()
  const stops = new Map<string, AbortController>()
  const forget = (): void => {
    let bytes = [...jobs.values()].reduce((sum, { file }) => sum + (file?.length ?? 0), 0)
    for (const job of jobs.values()) {
      if (bytes <= KEPT_BYTES && jobs.size <= KEPT_JOBS) return
      if (stops.has(job.id)) continue
      bytes -= job.file?.length ?? 0
      jobs.delete(job.id)
    }
  }
  return {
    submit: (request, task) => {
      if (stops.size >= OPEN_MAX) {
        const wait = { 'retry-after': '10' }
        throw new SandboxError(429, 'rate_limit_exceeded', 'The sandbox makes enough videos at the moment.', wait)
      }
      const createdMs = deps.options.clock.now()
      const id = `${isScripted(request.model) ? SCRIPTED_JOB_PREFIX : 'job-'}${randomUUID()}`
      const state = { status: 'pending', progress: 0, completedMs: null, error: null, cost: null, file: null } as const
      const job: SandboxJob = { id, request, task, createdMs, polls: 0, ...state }
      jobs.set(id, job)
      const stop = new AbortController()
      if (task.script.job !== 'stuck') stops.set(id, stop)
      void work(deps, job, stop.signal).finally(() => {
        stops.delete(id)
        forget()
      })
      return job
    },
    find: (id) => jobs.get(id) ?? null,
    cancel: (job) => {
      if (job.status !== 'pending' && job.status !== 'in_progress') return false
      job.status = 'cancelled'
      stops.get(job.id)?.abort()
      return true
    },
    close: () => {
      for (const stop of stops.values()) stop.abort()
    },
  }
}

async function work(deps: MediaDeps, job: SandboxJob, signal: AbortSignal): Promise<void> {
  const { script } = job.task
  await pause(deps.options.pace.jobMs, signal)
  if (job.status !== 'pending') return
  job.status = 'in_progress'
  if (script.job === 'stuck') return void (job.progress = 40)
  if (script.job !== 'completes' && script.job !== 'flaky') return endBadly(job, script.job, deps)
  try {
    const file = script.result === 'empty' ? null : await make(deps, job, signal)
    await pause(deps.options.pace.jobMs * (script.isSlow ? 5 : 1), signal)
    if (signal.aborted) return
    Object.assign(job, { file, cost: costOf(job), completedMs: deps.options.clock.now(), progress: 100 })
    job.status = 'completed'
  } catch (error) {
    if (signal.aborted) return
    job.error = error instanceof SandboxError ? error.message : 'The sandbox broke while it made this.'
    job.status = 'failed'
  }
}

function endBadly(job: SandboxJob, how: 'fails' | 'cancelled' | 'expires', { options }: MediaDeps): void {
  job.error = how === 'fails' ? 'The sandbox failed, as its model name asks it to.' : null
  job.completedMs = options.clock.now()
  job.status = how === 'fails' ? 'failed' : how === 'expires' ? 'expired' : 'cancelled'
}

async function make({ studios }: MediaDeps, job: SandboxJob, signal: AbortSignal): Promise<Uint8Array | null> {
  const { prompt, seed, width, height, seconds, firstFrame, hasAudio } = job.request
  const result = await studios.video.run(
    { kind: 'video', prompt, seed, width, height, seconds, firstFrame, hasAudio },
    { signal, onProgress: (percent) => void (job.progress = percent) },
  )
  return result.kind === 'files' ? (result.files[0] ?? null) : null
}

function costOf({ task, request }: SandboxJob): string | null {
  const { seconds, inputs, resolution, hasAudio } = request
  if (!task.script.reportsCost) return null
  return costOfMedia(task.model.prices, { type: 'video', seconds, inputs, resolution, hasAudio })
}

/** Waits, or less when the job is cancelled. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    timer.unref()
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
  })
}
