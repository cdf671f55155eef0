import { setTimeout as pauseFor } from 'node:timers/promises'
import { type BatchRunDeps, BatchRun } from './run-batch.ts'

/** Batches that one process works on at a time. Source: own choice. */
const BATCHES_AT_ONCE = 4
/** How long a stop waits for lines that came to their end, in milliseconds. Source: own choice. */
const STOP_MS = 5_000

/** One process's part in the work on batches. */
export class BatchRunner {
  readonly #deps: BatchRunDeps
  readonly #runs = new Map<string, { readonly run: BatchRun; readonly work: Promise<void> }>()
  /** Whether batches wait that no process has room for. */
  #isCrowded = false
  #isStopping = false

  constructor(deps: BatchRunDeps) {
    this.#deps = deps
  }

  /** Keeps what it has, and takes what is due as far as there is room; does not wait for its end. */
  async tick(): Promise<void> {
    if (this.#isStopping) return
    const { store, clock, leaseMs, processId } = this.#deps
    for (const { run } of this.#runs.values()) await run.renew()
    const now = clock.now()
    const room = BATCHES_AT_ONCE - this.#runs.size
    // Those of this process are due where their time was not renewed: it works on them all the same.
    const found = await store.listDue({ now, beyond: now + 2 * leaseMs }, BATCHES_AT_ONCE + 1)
    const due = found.filter(({ batchId }) => !this.#runs.has(batchId))
    this.#isCrowded = due.length > room
    for (const batch of due.slice(0, Math.max(0, room))) {
      const isMine = await store.claim({ ...batch, owner: processId }, clock.now() + leaseMs)
      if (isMine && !this.#isStopping) this.#begin(batch)
    }
  }

  /** Begins no further line. What is worked on goes on. */
  pause(): void {
    this.#isStopping = true
    for (const { run } of this.#runs.values()) run.stop()
  }

  /** Waits for what is under way, as long as it may take to write its end down. */
  async stop(): Promise<void> {
    this.pause()
    const idle = Promise.all([...this.#runs.values()].map(({ work }) => work))
    await Promise.race([idle, pauseFor(STOP_MS, undefined, { ref: false })])
  }

  #begin(batch: ConstructorParameters<typeof BatchRun>[1]): void {
    const { batchId } = batch
    const run = new BatchRun(this.#deps, batch, () => this.#isCrowded)
    const work = run
      .work()
      .catch((error: unknown) => this.#deps.log.error({ batch_id: batchId, err: error }, 'a batch cannot go on'))
      .finally(() => this.#runs.delete(batchId))
    this.#runs.set(batchId, { run, work })
  }
}
