import { Worker } from 'node:worker_threads'
import type { DurationJob, DurationResult } from './duration-job.ts'
import type { SoundBytes } from './measure-duration.ts'

/** Measures sounds away from the main thread. */
export interface DurationProbe {
  /**
   * Measures how long a sound lasts. Nobody may close or change it meanwhile; once this resolves, it is not read any
   * more.
   *
   * @returns seconds; null when it cannot be told: no sound, too long a look, too many waiting, or the probe is closed.
   */
  measure(sound: SoundBytes, byteLength: number): Promise<number | null>
  close(): Promise<void>
}

/** Limits of a probe; each has a default that suits the gateway. */
export interface DurationProbeOptions {
  /** Longest look at one sound, in milliseconds; the first one loads the library within it. */
  readonly limitMs?: number
  /** Most sounds that may wait. */
  readonly maxWaiting?: number
}

interface Waiting {
  readonly job: DurationJob
  readonly resolve: (seconds: number | null) => void
}

/** Source: own choice. A file of the largest size is walked through in a fraction of it. */
const LIMIT_MS = 10_000
const MAX_WAITING = 256
/** Memory of the worker's heap, in MiB: a damaged file that asks for more ends the worker, not the gateway. */
const HEAP_MIB = 256

const SCRIPT = new URL('./duration-worker.ts', import.meta.url)

class Probe implements DurationProbe {
  readonly #options: DurationProbeOptions
  readonly #waiting: Waiting[] = []
  #running: Waiting | null = null
  #worker: Worker | null = null
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: DurationProbeOptions) {
    this.#options = options
  }

  measure(sound: SoundBytes, byteLength: number): Promise<number | null> {
    const { maxWaiting = MAX_WAITING } = this.#options
    if (this.#isClosed || this.#waiting.length >= maxWaiting) return Promise.resolve(null)
    return new Promise((resolve) => {
      this.#waiting.push({ job: { sound, byteLength }, resolve })
      this.#advance()
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const { resolve } of this.#waiting.splice(0)) resolve(null)
    await this.#drop()
  }

  #advance(): void {
    if (this.#running !== null) return
    const next = this.#waiting.shift()
    if (next === undefined) return this.#worker?.unref()
    this.#running = next
    this.#worker ??= this.#start()
    this.#worker.ref()
    this.#timer = setTimeout(() => void this.#drop(), this.#options.limitMs ?? LIMIT_MS)
    this.#timer.unref()
    this.#worker.postMessage(next.job)
  }

  #start(): Worker {
    const worker = new Worker(SCRIPT, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB } })
    const lost = (): void => {
      if (worker === this.#worker) void this.#drop()
    }
    worker.on('message', ({ seconds }: DurationResult) => {
      if (worker === this.#worker) this.#finish(seconds)
    })
    worker.on('error', lost)
    worker.on('exit', lost)
    return worker
  }

  #finish(seconds: number | null): void {
    clearTimeout(this.#timer)
    const finished = this.#running
    this.#running = null
    finished?.resolve(seconds)
    this.#advance()
  }

  /** Ends the worker with what it looks at; what only waits gets a new one. */
  async #drop(): Promise<void> {
    clearTimeout(this.#timer)
    const worker = this.#worker
    this.#worker = null
    // Told only once nothing reads the file any more.
    await worker?.terminate()
    this.#finish(null)
  }
}

/** Creates a probe whose worker thread starts with the first sound, and keeps no process alive on its own. */
export function createDurationProbe(options: DurationProbeOptions = {}): DurationProbe {
  return new Probe(options)
}
