/** The work of one process on one batch, from where it stands to its end, or until it is handed on. */
import { setTimeout as pauseFor } from 'node:timers/promises'
import { ServiceError } from '../platform/errors/service-error.ts'
import { createId } from '../platform/runtime/ids.ts'
import type { Batch } from './batch.ts'
import type { BatchWorkDeps } from './batch-deps.ts'
import type { BatchLine } from './batch-line-store.ts'
import type { OwnedBatch } from './batch-store.ts'
import { checkInput } from './check-input.ts'
import { findInput, finishBatch, INPUT_GONE } from './finish-batch.ts'
import { type InputFile, type InputLine, LineReader, readInput } from './input-file.ts'
import type { Unmade } from './line-result.ts'
import type { LineSlots } from './line-slots.ts'
import { type LineToRun, runLine } from './run-line.ts'

export interface BatchRunDeps extends BatchWorkDeps {
  readonly slots: LineSlots
  /** How long a process has a batch without a word, in milliseconds. */
  readonly leaseMs: number
}

/** A line that was begun, and when it is worked on again. */
interface WaitingLine {
  readonly line: BatchLine
  /** Null where it is read again. */
  readonly text: Buffer | null
  /** By the monotonic clock. */
  readonly notBefore: number
}

/** One whose turn it is. */
interface LineToBegin extends WaitingLine {
  /** Whether no request has worked on it. */
  readonly isNew?: true
}

/** Lines that wait for another attempt, beyond which no further line is begun. Source: own choice. */
const WAITING_MAX = 32
/** How long a run waits for something to happen, in milliseconds. Source: own choice. */
const IDLE_MS = 200
/** How long a run waits at most after lines that could not go on, in milliseconds. Source: own choice. */
const FAULT_MS_MAX = 10_000
/** How long a batch is worked on while others wait, in milliseconds. Source: own choice. */
const TURN_MS = 60_000
/** Length of all results of a batch, in UTF-16 units, at which no further line is begun. Source: decision 0135. */
const RESULTS_LENGTH_MAX = 256 * 1_048_576

export class BatchRun {
  readonly #deps: BatchRunDeps
  readonly #owned: OwnedBatch
  readonly #isCrowded: () => boolean
  readonly #begunAt: number
  readonly #working = new Set<Promise<void>>()
  #batch: Batch
  /** Null where its file has gone, and until it was looked for. */
  #input: InputFile | null = null
  #waiting: WaitingLine[] = []
  #pausedUntil = 0
  /** How many lines could not go on since one could. */
  #faults = 0
  #renewedAt: number
  #isLost = false
  #isStopping = false
  /** Whether what waits is no longer what the database says. */
  #isStale = true

  /** @param isCrowded whether other batches wait for a process. */
  constructor(deps: BatchRunDeps, batch: Batch, isCrowded: () => boolean) {
    this.#deps = deps
    this.#batch = batch
    this.#isCrowded = isCrowded
    this.#owned = { batchId: batch.batchId, owner: deps.processId }
    this.#begunAt = deps.clock.elapsed()
    this.#renewedAt = this.#begunAt
  }

  /** Begins no further line. */
  stop(): void {
    this.#isStopping = true
  }

  /** Keeps the batch, once a third of the time has gone by. */
  async renew(): Promise<void> {
    const { clock, leaseMs, store } = this.#deps
    if (this.#isLost || clock.elapsed() - this.#renewedAt < leaseMs / 3) return
    this.#renewedAt = clock.elapsed()
    if (await store.renew(this.#owned, clock.now() + leaseMs)) await this.#refresh()
    else this.#isLost = true
  }

  /**
   * Works until the batch has ended, or is another process's.
   *
   * @throws what the database throws. The batch is then taken again, here or elsewhere, once its time is over.
   */
  async work(): Promise<void> {
    try {
      this.#input = await findInput(this.#deps, this.#batch)
      if (this.#batch.state === 'validating') await this.#check()
      if (this.#batch.endedAt !== null || this.#isLost) return
      if (await this.#makeLines()) await this.#finish()
    } finally {
      await Promise.all(this.#working)
    }
    // What has ended is given to no one.
    if (!this.#isLost) await this.#deps.store.renew(this.#owned, this.#deps.clock.now())
  }

  #finish(): Promise<void> {
    const unmade = this.#unmade()
    return finishBatch(this.#deps, { owned: this.#owned, batch: this.#batch, input: this.#input, unmade })
  }

  async #refresh(): Promise<void> {
    this.#batch = await this.#deps.store.get(this.#owned.batchId)
  }

  async #check(): Promise<void> {
    const { store, clock } = this.#deps
    const checking =
      this.#input === null
        ? null
        : checkInput(new LineReader(this.#input, { line: 0, offset: 0 }), this.#batch.endpoint)
    const { total, problems } = (await this.#unlessGone(checking)) ?? { total: 0, problems: [INPUT_GONE] }
    if (problems.length > 0) {
      const isEnded = await store.fail(this.#owned, { errors: problems, endedAt: clock.now() })
      if (isEnded) this.#deps.onEnded('failed')
    } else await store.start(this.#owned, { total, startedAt: clock.now() })
    await this.#refresh()
  }

  /** What is read of the file; null where the file has gone: that is noted, since no other attempt brings it back. */
  async #unlessGone<Read>(reading: Promise<Read> | null): Promise<Read | null> {
    try {
      return await reading
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'file_not_found')) throw error
      this.#input = null
      this.#deps.log.error({ batch_id: this.#owned.batchId, err: error }, 'the file of a batch has gone')
      return null
    }
  }

  /** Why lines are not made any more; null while they are. */
  #unmade(): Unmade | null {
    const { state, expiresAt, keptBytes } = this.#batch
    if (state === 'cancelling') return 'batch_cancelled'
    if (this.#input === null) return 'input_file_gone'
    if (expiresAt <= this.#deps.clock.now()) return 'batch_expired'
    return keptBytes > RESULTS_LENGTH_MAX ? 'batch_too_large' : null
  }

  /** @returns whether every line that was begun has come to its end, and no other will begin. */
  async #makeLines(): Promise<boolean> {
    const input = this.#input
    const { nextLine: line, nextOffset: offset } = this.#batch
    const reader = input === null ? null : new LineReader(input, { line, offset })
    while (!this.#isLost && !this.#mustHandOn()) {
      if (this.#isStale && this.#working.size === 0) await this.#reload()
      // A line that was begun is not left waiting: there is room for it.
      const release = await this.#deps.slots.take()
      const next = await this.#findNext(reader).catch((error: unknown) => {
        release()
        throw error
      })
      if (next !== null) {
        this.#begin(next, release)
        continue
      }
      release()
      if (this.#working.size > 0 || this.#waiting.length > 0 || this.#isStale) await this.#idle()
      else if (this.#pausedUntil <= this.#deps.clock.elapsed() || this.#unmade() !== null) {
        // Another process that worked on a line of it may have left it.
        await this.#reload()
        if (this.#waiting.length === 0) return true
      } else await this.#idle()
    }
    return false
  }

  async #findNext(reader: LineReader | null): Promise<LineToBegin | null> {
    return this.#takeWaiting() ?? this.#beginNext(reader)
  }

  #mustHandOn(): boolean {
    return this.#isStopping || (this.#isCrowded() && this.#deps.clock.elapsed() - this.#begunAt > TURN_MS)
  }

  async #reload(): Promise<void> {
    const lines = await this.#deps.lines.listRunning(this.#owned.batchId)
    this.#waiting = lines.map((line) => ({ line, text: null, notBefore: 0 }))
    this.#isStale = false
  }

  #takeWaiting(): WaitingLine | null {
    const now = this.#deps.clock.elapsed()
    if (this.#pausedUntil > now) return null
    const at = this.#waiting.findIndex(({ notBefore }) => notBefore <= now)
    return at === -1 ? null : (this.#waiting.splice(at, 1)[0] ?? null)
  }

  /** Begins the next line of the file; null where none is to begin now. */
  async #beginNext(reader: LineReader | null): Promise<LineToBegin | null> {
    const { clock, lines, processId } = this.#deps
    const isWaiting = this.#pausedUntil > clock.elapsed() || this.#waiting.length >= WAITING_MAX
    if (reader === null || isWaiting || this.#isStale || this.#unmade() !== null) return null
    const read = await this.#unlessGone(reader.next())
    if (read === null) return null
    const line = this.#lineOf(read, processId)
    const isBegun = await lines.begin(this.#owned, line, { nextLine: line.line + 1, nextOffset: read.nextOffset })
    if (isBegun) return { line, text: read.bytes, notBefore: 0, isNew: true }
    await this.#refresh()
    // It is cancelled, or another process has it.
    this.#isLost = this.#batch.state === 'in_progress'
    return null
  }

  #lineOf({ line, startAt, bytes }: InputLine, processId: string): BatchLine {
    const requestId = createId(this.#deps.clock.now())
    const { batchId } = this.#owned
    return { batchId, line, startAt, byteLength: bytes.length, requestId, processId, attempts: 1, result: null }
  }

  /** @param release gives its room back. */
  #begin(next: LineToBegin, release: () => void): void {
    const working: Promise<void> = this.#workOn(next)
      .catch((error: unknown) => {
        this.#isStale = true
        this.#pausedUntil = this.#deps.clock.elapsed() + Math.min(IDLE_MS * 2 ** this.#faults++, FAULT_MS_MAX)
        this.#deps.log.error({ batch_id: this.#owned.batchId, err: error }, 'a line of a batch cannot go on')
      })
      .finally(() => {
        this.#working.delete(working)
        release()
      })
    this.#working.add(working)
  }

  async #workOn({ line, text: known, isNew }: LineToBegin) {
    const input = this.#input
    const reading = known !== null || input === null ? null : readInput(input, line.startAt, line.byteLength)
    const text = known ?? (await this.#unlessGone(reading))
    const asked: LineToRun = {
      ...{ batch: this.#batch, line, isLeft: isNew !== true },
      text: text ?? Buffer.alloc(0),
      unmade: this.#unmade(),
    }
    const outcome = await runLine(this.#deps, asked)
    this.#faults = 0
    if (outcome.kind === 'ended') return
    const notBefore = this.#deps.clock.elapsed() + outcome.waitMs
    this.#waiting.push({ line: outcome.line, text, notBefore })
    if (outcome.isCrowded) this.#pausedUntil = Math.max(this.#pausedUntil, notBefore)
  }

  async #idle(): Promise<void> {
    const waited = new AbortController()
    const late = pauseFor(IDLE_MS, undefined, { signal: waited.signal }).catch(() => undefined)
    await Promise.race([late, ...this.#working])
    waited.abort()
  }
}
