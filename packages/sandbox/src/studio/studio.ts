import { Worker } from 'node:worker_threads'
import { SandboxError } from '../sandbox-error.ts'
import type { StudioJob, StudioMessage, StudioResult } from './studio-job.ts'

export interface StudioOptions {
  /** Jobs that may wait for the thread. */
  readonly waitingMax: number
  /** Longest time for one job, in milliseconds; after it the thread is replaced. */
  readonly limitMs: number
  /** A thread without work ends after so long, in milliseconds: its libraries take more memory than all else here. */
  readonly idleMs: number
  /** Another script, for tests. */
  readonly script?: URL
}

export interface JobOptions {
  /** How far the job is, from 0 to 100. */
  readonly onProgress?: (percent: number) => void
  /** Gives the job up. */
  readonly signal?: AbortSignal
}

/** One thread that does jobs in turn. */
export interface Studio {
  /**
   * @throws {SandboxError} 400 for what cannot be made, 429 when too many wait, 500 and 504 when the thread fails or
   * takes too long.
   */
  run(job: StudioJob, options?: JobOptions): Promise<StudioResult>
  /** Whether a thread is there at the moment. */
  isAwake(): boolean
  close(): Promise<void>
}

interface Waiting {
  readonly job: StudioJob
  readonly options: JobOptions
  readonly resolve: (result: StudioResult) => void
  readonly reject: (error: Error) => void
}

const SCRIPT = new URL('./studio-worker.ts', import.meta.url)

/** Creates one whose thread starts with the first job, and ends when there has been none for a while. */
export function createStudio(options: StudioOptions): Studio {
  const queue = new StudioQueue(options)
  return {
    run: (job, jobOptions = {}) => queue.add(job, jobOptions),
    isAwake: () => queue.isAwake,
    close: () => queue.close(),
  }
}

class StudioQueue {
  readonly #options: StudioOptions
  readonly #waiting: Waiting[] = []
  #running: Waiting | null = null
  #worker: Worker | null = null
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: StudioOptions) {
    this.#options = options
  }

  get isAwake(): boolean {
    return this.#worker !== null
  }

  add(job: StudioJob, options: JobOptions): Promise<StudioResult> {
    if (this.#isClosed) return Promise.reject(new SandboxError(503, 'provider_unavailable', 'The sandbox is closing.'))
    if (this.#running !== null && this.#waiting.length >= this.#options.waitingMax) {
      const tooMany = 'The sandbox has too much to do already.'
      return Promise.reject(new SandboxError(429, 'rate_limit_exceeded', tooMany, { 'retry-after': '5' }))
    }
    return new Promise((resolve, reject) => {
      const entry: Waiting = { job, options, resolve, reject }
      options.signal?.addEventListener('abort', () => this.#abandon(entry), { once: true })
      if (options.signal?.aborted === true) return reject(abandoned())
      this.#waiting.push(entry)
      this.#advance()
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    const left = [...(this.#running === null ? [] : [this.#running]), ...this.#waiting.splice(0)]
    this.#running = null
    for (const { reject } of left) reject(new SandboxError(503, 'provider_unavailable', 'The sandbox is closing.'))
    await this.#endWorker()
  }

  #advance(): void {
    if (this.#running !== null || this.#isClosed) return
    clearTimeout(this.#timer)
    const next = this.#waiting.shift()
    if (next === undefined) {
      this.#timer = setTimeout(() => void this.#endWorker(), this.#options.idleMs)
      this.#timer.unref()
      return
    }
    this.#running = next
    this.#worker ??= this.#startWorker()
    this.#worker.postMessage(next.job)
    this.#timer = setTimeout(
      () => this.#fail(new SandboxError(504, 'timeout', 'This takes too long.')),
      this.#options.limitMs,
    )
    this.#timer.unref()
  }

  #startWorker(): Worker {
    const worker = new Worker(this.#options.script ?? SCRIPT, { name: 'sandbox-studio' })
    worker.unref()
    const broke = (): void => {
      if (worker === this.#worker) this.#fail(new SandboxError(500, 'server', 'The sandbox broke while it made this.'))
    }
    worker.on('message', (message: StudioMessage) => worker === this.#worker && this.#hear(message))
    worker.on('error', broke)
    worker.on('exit', broke)
    return worker
  }

  #hear(message: StudioMessage): void {
    const entry = this.#running
    if (entry === null) return
    if (message.kind === 'progress') return entry.options.onProgress?.(message.percent)
    this.#running = null
    if (message.kind === 'done') entry.resolve(message.result)
    else entry.reject(new SandboxError(message.status, message.errorType, message.message))
    this.#advance()
  }

  /** Drops the thread with the job that it holds; a new one takes what waits. */
  #fail(error: SandboxError): void {
    const entry = this.#running
    this.#running = null
    void this.#endWorker()
    entry?.reject(error)
    this.#advance()
  }

  #abandon(entry: Waiting): void {
    const place = this.#waiting.indexOf(entry)
    if (place >= 0) this.#waiting.splice(place, 1)
    else if (this.#running !== entry) return
    entry.reject(abandoned())
    if (this.#running === entry) {
      this.#running = null
      void this.#endWorker()
      this.#advance()
    }
  }

  async #endWorker(): Promise<void> {
    const worker = this.#worker
    this.#worker = null
    await worker?.terminate()
  }
}

function abandoned(): SandboxError {
  return new SandboxError(499, 'cancelled', 'The client has gone.')
}
