import type { GenerationLog } from '../generation-log.ts'
import type { ModelList } from '../model-list.ts'
import type { SandboxOptions } from '../sandbox-options.ts'
import { createStudio, type Studio } from '../studio/studio.ts'
import { findAbilities } from './abilities.ts'
import type { MediaDeps } from './begin-media.ts'
import type { MediaType } from './media-faults.ts'
import { createVideoJobs, type VideoJobs } from './video-jobs.ts'

export interface OpenMedia {
  readonly deps: MediaDeps
  readonly jobs: VideoJobs
  close(): Promise<void>
}

/**
 * A thread that has nothing to do ends after so long, and a job may take so long, in milliseconds. Source: own choice.
 */
const IDLE_MS = 30_000
/** Loading what is needed to hear takes longest, so its thread stays longer. */
const LISTEN_IDLE_MS = 120_000
const LIMIT_MS = 120_000
const LONG_LIMIT_MS = 600_000

/** Opens what media are made with; no thread starts before it is needed. */
export function openMedia(options: Required<SandboxOptions>, models: ModelList, generations: GenerationLog): OpenMedia {
  const studios: Readonly<Record<MediaType, Studio>> = {
    image: createStudio({ waitingMax: 50, limitMs: LIMIT_MS, idleMs: IDLE_MS }),
    video: createStudio({ waitingMax: 20, limitMs: LONG_LIMIT_MS, idleMs: IDLE_MS }),
    speech: createStudio({ waitingMax: 50, limitMs: LIMIT_MS, idleMs: IDLE_MS }),
    transcription: createStudio({ waitingMax: 10, limitMs: LONG_LIMIT_MS, idleMs: LISTEN_IDLE_MS }),
  }
  const abilities = options.abilities ?? findAbilities({ hasRecogniser: options.recogniser !== null })
  const deps: MediaDeps = { options, models, generations, abilities, studios }
  const jobs = createVideoJobs(deps)
  return {
    deps,
    jobs,
    close: async () => {
      jobs.close()
      await Promise.all(Object.values(studios).map((studio) => studio.close()))
    },
  }
}
