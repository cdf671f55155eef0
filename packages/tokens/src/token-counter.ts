import { Worker } from 'node:worker_threads'
import { TokenCountError } from './token-count-error.ts'
import type { TokenJob, TokenJobResult, TokenWorkerMessage } from './token-jobs.ts'

/** Counts tokens away from the main thread. */
export interface TokenCounter {
  /**
   * Counts the tokens of a text, exactly as `countTokens` does.
   * @throws {TokenCountError} when the text is too large, too many wait, the count takes too long, or the counter is
   * closed.
   */
  count(text: string): Promise<number>
  /**
   * Splits a text into what each token adds, exactly as `splitIntoTokens` does.
   * @throws {TokenCountError} as `count`.
   */
  split(text: string): Promise<string[]>
  /** Ends the worker; what waits is refused. */
  close(): Promise<void>
}

/** Limits of a counter; each has a default that suits the gateway. */
export interface TokenCounterOptions {
  /** Largest text, in UTF-8 bytes. Source: decision 0005 (size of a hold). */
  readonly maxBytes?: number
  /** Most texts that may wait. */
  readonly maxWaiting?: number
  /** Most text that may wait, in UTF-16 units: what waits is kept in memory. */
  readonly maxWaitingUnits?: number
  /** Longest time that one message of the worker may take; after it the worker is replaced. */
  readonly limitMs?: number
  /** Longest time for the worker to load the tokenizer. */
  readonly startLimitMs?: number
  /** Another worker script, for tests. */
  readonly script?: URL
}

interface Waiting {
  readonly job: TokenJob
  readonly resolve: (result: TokenJobResult) => void
  readonly reject: (error: TokenCountError) => void
}

/**
 * Text that goes to the worker in one message, in UTF-16 units: enough to save messages, little enough for one time
 * limit.
 */
const MESSAGE_UNITS = 262_144

/**
 * Creates a counter whose worker thread starts with the first text and stays.
 *
 * Texts that arrive while the worker is busy go to it together in its next message. The worker keeps no process alive
 * on its own.
 */
export function createTokenCounter(options: TokenCounterOptions = {}): TokenCounter {
  const { maxBytes = 262_144, maxWaiting = 1_024, maxWaitingUnits = 8 * 1_048_576 } = options
  const queue = new TokenQueue(options)
  const run = (job: TokenJob): Promise<TokenJobResult> => {
    if (job.text.length > maxBytes || Buffer.byteLength(job.text) > maxBytes) {
      return Promise.reject(new TokenCountError('too_large', `The text is larger than ${maxBytes} bytes.`))
    }
    if (queue.size >= maxWaiting || queue.units + job.text.length > maxWaitingUnits) {
      return Promise.reject(new TokenCountError('queue_full', 'Too many texts are waiting already.'))
    }
    return queue.add(job)
  }
  return {
    count: async (text) => (text === '' ? 0 : Number(await run({ kind: 'count', text }))),
    split: async (text) => (text === '' ? [] : listOf(await run({ kind: 'split', text }))),
    close: () => queue.close(),
  }
}

function listOf(result: TokenJobResult): string[] {
  return typeof result === 'number' ? [] : result
}

class TokenQueue {
  readonly #options: TokenCounterOptions
  #waiting: Waiting[] = []
  #running: Waiting[] = []
  #worker: Worker | null = null
  #isReady = false
  #isClosed = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: TokenCounterOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#waiting.length
  }

  /** UTF-16 units that wait. */
  get units(): number {
    return this.#waiting.reduce((sum, { job }) => sum + job.text.length, 0)
  }

  add(job: TokenJob): Promise<TokenJobResult> {
    if (this.#isClosed) return Promise.reject(new TokenCountError('closed', 'The token counter is closed.'))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, resolve, reject })
      // Texts that come in one turn travel in one message.
      if (this.#waiting.length === 1) queueMicrotask(() => this.#advance())
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#fail(new TokenCountError('closed', 'The token counter is closed.'))
  }

  #advance(): void {
    if (this.#waiting.length === 0) return
    if (this.#worker === null) return this.#start()
    if (!this.#isReady || this.#running.length > 0) return
    let units = 0
    let taken = 0
    for (const { job } of this.#waiting) {
      if (taken > 0 && units + job.text.length > MESSAGE_UNITS) break
      units += job.text.length
      taken++
    }
    this.#running = this.#waiting.splice(0, taken)
    this.#limit(this.#options.limitMs ?? 2_000)
    this.#worker.ref()
    this.#worker.postMessage(this.#running.map(({ job }) => job))
  }

  #start(): void {
    const worker = new Worker(this.#options.script ?? new URL('./token-worker.ts', import.meta.url))
    this.#worker = worker
    this.#limit(this.#options.startLimitMs ?? 15_000)
    worker.on('message', (message: TokenWorkerMessage) => {
      if (worker === this.#worker) this.#receive(worker, message)
    })
    worker.on('error', (cause) => {
      if (worker !== this.#worker) return
      void this.#fail(new TokenCountError('worker_failed', 'The token worker failed.', { cause }))
    })
    worker.on('exit', () => {
      if (worker === this.#worker) void this.#fail(new TokenCountError('worker_failed', 'The token worker ended.'))
    })
  }

  #receive(worker: Worker, message: TokenWorkerMessage): void {
    clearTimeout(this.#timer)
    if (message.kind === 'ready') this.#isReady = true
    else {
      const finished = this.#running
      this.#running = []
      for (const [index, { resolve }] of finished.entries()) resolve(message.results[index] ?? 0)
    }
    worker.unref()
    this.#advance()
  }

  #limit(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      void this.#fail(new TokenCountError('timeout', `Counting took longer than ${ms} ms.`))
    }, ms)
    this.#timer.unref()
  }

  /**
   * Drops the worker with the texts that it holds; texts that only waited get a new one, unless nothing can start or
   * all is over.
   */
  async #fail(error: TokenCountError): Promise<void> {
    clearTimeout(this.#timer)
    const worker = this.#worker
    const lost = this.#isClosed || !this.#isReady ? [...this.#running, ...this.#waiting] : this.#running
    if (this.#isClosed || !this.#isReady) this.#waiting = []
    this.#running = []
    this.#worker = null
    this.#isReady = false
    for (const { reject } of lost) reject(error)
    this.#advance()
    await worker?.terminate()
  }
}
