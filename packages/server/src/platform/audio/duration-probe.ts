import { Worker } from 'node:worker_threads'
import type { DurationJob, DurationResult } from './duration-job.ts'
import type { AudioBytes } from './measure-duration.ts'
import type { AudioLength } from './audio-length.ts'

/** Measures audio files away from the main thread. */
export interface DurationProbe {
  /**
   * Measures how long an audio file lasts. The caller must not close or change it meanwhile; once this resolves, it is
   * not read any more.
   *
   * @returns its length. A look that takes too long is refused; while too many wait, or once the probe is closed, it is
   *   `busy`: none of both may make an audio file cheaper.
   */
  measure(audio: AudioBytes, byteLength: number): Promise<AudioLength>
  close(): Promise<void>
}

/** Limits of a probe; each has a default that suits the gateway. */
export interface DurationProbeOptions {
  /** Longest look at one audio file, in milliseconds. */
  readonly limitMs?: number
  /** Most audio files that may wait. */
  readonly maxWaiting?: number
}

interface Waiting {
  readonly job: DurationJob
  readonly resolve: (length: AudioLength) => void
}

/** Source: own choice. A file of the largest size is walked through in a fraction of it. */
const LIMIT_MS = 10_000
const MAX_WAITING = 256
/** Memory of the worker's heap, in MiB: a damaged file that asks for more ends the worker, not the gateway. */
const HEAP_MIB = 256

const SCRIPT = new URL('./duration-worker.ts', import.meta.url)

const BUSY: AudioLength = { kind: 'busy' }
const TOO_LONG: AudioLength = { kind: 'refused', reason: 'It takes too long to be measured.' }

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

  measure(audio: AudioBytes, byteLength: number): Promise<AudioLength> {
    const { maxWaiting = MAX_WAITING } = this.#options
    if (this.#isClosed || this.#waiting.length >= maxWaiting) return Promise.resolve(BUSY)
    return new Promise((resolve) => {
      this.#waiting.push({ job: { audio, byteLength }, resolve })
      this.#advance()
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const { resolve } of this.#waiting.splice(0)) resolve(BUSY)
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
    worker.on('message', ({ length }: DurationResult) => {
      if (worker === this.#worker) this.#finish(length)
    })
    worker.on('error', lost)
    worker.on('exit', lost)
    return worker
  }

  #finish(length: AudioLength): void {
    clearTimeout(this.#timer)
    const finished = this.#running
    this.#running = null
    finished?.resolve(length)
    this.#advance()
  }

  /** Ends the worker with what it looks at; what only waits gets a new one. */
  async #drop(): Promise<void> {
    clearTimeout(this.#timer)
    const worker = this.#worker
    this.#worker = null
    // Reported only once nothing reads the file any more.
    await worker?.terminate()
    this.#finish(this.#isClosed ? BUSY : TOO_LONG)
  }
}

/** Creates a probe whose worker thread starts with the first audio, and keeps no process alive on its own. */
export function createDurationProbe(options: DurationProbeOptions = {}): DurationProbe {
  return new Probe(options)
}
