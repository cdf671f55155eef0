/**
 * The ledger: the only way by which money moves.
 *
 * Group commit: operations that arrive in one turn of the event loop, or while the engine takes no further batch, go
 * into the next one, each with its own result. The room knows no prices and no upstreams; its invariant is that no
 * balance is ever overdrawn and no hold ends twice.
 */
import { setTimeout as waitMs } from 'node:timers/promises'
import { isRefusal } from '../../platform/db/database-failure.ts'
import { InvariantError } from '../../platform/errors/invariant-error.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { checkOperation, type OnCorrected } from './check-operation.ts'
import { BusyLane, type Waiting } from './busy-lane.ts'
import type { EngineResult, LedgerEngine } from './ledger-engine.ts'
import type { LedgerOperation, LedgerResult, ResultOf, SettleHold, SettleResult } from './operations.ts'

/** Operations in one commit at most. A larger one would make its first caller wait for its last. */
export const BATCH_OPERATIONS_MAX = 256
/** Operations that may wait at most; beyond it callers are refused rather than kept waiting. */
export const QUEUE_OPERATIONS_MAX = 20_000
/** Waits before a batch with an unknown outcome is sent again. After the last its callers get a 503. */
const RETRY_WAITS_MS: readonly number[] = [5, 25, 100, 400, 1_000, 2_000]
/** After so long a batch is not sent again: its callers get an error, and they may try again. */
const RETRY_FOR_MS = 7_000

/**
 * After batches of this size commits begin so long one after the other, and not at once. Below it, the wait would cost
 * every caller more than the shared commit saves. Source: decision 0021 (speed), measured.
 */
const GATHER_FROM = 8
const GATHER_MS = 8

/**
 * Operations without a waiting client may wait so long for others, where others come: so many operations
 * within that time, on the average of the last ones. Source: decision 0021 (speed), measured.
 */
const PATIENCE_MS = 10
const PATIENT_AMONG = 2
/** Weight of the last gap in the average of gaps. */
const GAP_WEIGHT = 1 / 16

/** How long an operation may wait for others to share a commit with. */
export type Urgency =
  /** A client's answer depends on it. */
  | 'now'
  /** A few milliseconds change nothing for a client. */
  | 'soon'

const RETRY_AFTER_SECONDS = 1

export interface LedgerOptions {
  readonly engine: LedgerEngine
  readonly batchMax?: number
  readonly queueMax?: number
  /** Waits between attempts, in milliseconds; as many attempts more as there are waits. */
  readonly retryWaitsMs?: readonly number[]
  /** How far apart commits are while many callers are about, in milliseconds. Absent: 8. */
  readonly gatherMs?: number
  /** Called when a settlement had impossible values, and was written without them. */
  readonly onCorrected?: OnCorrected
  /** Called when a settlement found no row of its hold: it was charged late, or is lost with its caller. */
  readonly onLate?: OnLate
}

export type OnLate = (settlement: SettleHold, result: Exclude<SettleResult, { kind: 'already_settled' }>) => void

/** Figures since the start, for metrics. */
export interface LedgerCounters {
  readonly batches: number
  readonly operations: number
  /** Batches that were sent again. */
  readonly retries: number
  /** Duration of the last commit, in milliseconds with fractions. */
  readonly lastCommitMs: number
  /** Commits in a row that could not be made since the last one that could. */
  readonly failuresInARow: number
  /** Operations that wait now, those in flight included. */
  readonly waiting: number
  /** How long the oldest commit under way, or wait for a locked row, has taken so far, in milliseconds; 0 for none. */
  readonly commitMs: number
}

/** Sends operations to an engine in batches, as many at a time as the engine takes. */
export class Ledger {
  readonly #engine: LedgerEngine
  readonly #batchMax: number
  readonly #queueMax: number
  readonly #retryWaitsMs: readonly number[]
  readonly #gatherMs: number
  readonly #onCorrected: OnCorrected
  readonly #onLate: OnLate
  readonly #lane: BusyLane
  #queue: Waiting[] = []
  #running: Promise<void> | null = null
  readonly #commits = new Set<Promise<void>>()
  /** When each commit that is under way began. */
  readonly #begun = new Map<readonly Waiting[], number>()
  #inFlight = 0
  #lastBatch = 0
  #lastCommitAt = 0
  #lastSubmitAt = 0
  #averageGapMs = PATIENCE_MS
  #isUrgent = false
  /** Ends the wait of patient operations. */
  #hurry: (() => void) | null = null
  #isClosed = false
  #batches = 0
  #operations = 0
  #retries = 0
  #lastCommitMs = 0
  #failuresInARow = 0

  constructor(options: LedgerOptions) {
    this.#engine = options.engine
    this.#lane = new BusyLane(options.engine)
    this.#batchMax = options.batchMax ?? BATCH_OPERATIONS_MAX
    this.#queueMax = options.queueMax ?? QUEUE_OPERATIONS_MAX
    this.#retryWaitsMs = options.retryWaitsMs ?? RETRY_WAITS_MS
    this.#gatherMs = options.gatherMs ?? GATHER_MS
    this.#onCorrected = options.onCorrected ?? (() => undefined)
    this.#onLate = options.onLate ?? (() => undefined)
  }

  get counters(): LedgerCounters {
    return {
      batches: this.#batches,
      operations: this.#operations,
      retries: this.#retries,
      lastCommitMs: this.#lastCommitMs,
      failuresInARow: this.#failuresInARow,
      waiting: this.#queue.length + this.#inFlight + this.#lane.size,
      commitMs: Math.max(
        this.#begun.size === 0 ? 0 : performance.now() - Math.min(...this.#begun.values()),
        this.#lane.oldestMs,
      ),
    }
  }

  /**
   * How long an operation that is submitted now is likely to wait until it is durable, in milliseconds: as many commits
   * as are before it, and at least as long as the oldest of those has taken. 0 where nothing waits. Locked accounts are
   * left out: they delay their own operations alone.
   */
  get waitMs(): number {
    if (this.#queue.length === 0 && this.#begun.size === 0) return 0
    const commits = Math.ceil((this.#queue.length + 1) / this.#batchMax)
    const oldestMs = this.#begun.size === 0 ? 0 : performance.now() - Math.min(...this.#begun.values())
    return Math.max(oldestMs, (commits * this.#lastCommitMs) / (this.#engine.batchesAtOnce ?? 1))
  }

  /**
   * Applies one operation and answers once it is durable; a hold with `flush: 'with_end'` once it is committed, since
   * its end makes it durable.
   *
   * @param urgency `soon` lets it share the commit of the operations that are expected, instead of one of its own.
   * @throws {ServiceError} `server_is_overloaded` when too many operations wait, the ledger is closed, or the database
   *   cannot be reached. In the last case the outcome is unknown and the same operation may be submitted again.
   * @throws {InvariantError} when no correct caller would ask for this.
   */
  async submit<Operation extends LedgerOperation>(
    operation: Operation,
    urgency: Urgency = 'now',
  ): Promise<ResultOf<Operation>> {
    const checked = checkOperation(operation, this.#onCorrected)
    if (this.#isClosed) throw overloaded('The service is stopping.')
    if (this.#queue.length >= this.#queueMax) throw overloaded('Too many requests are waiting for the ledger.')
    const { promise, resolve, reject } = Promise.withResolvers<LedgerResult>()
    const waiting = { operation: checked, resolve, reject }
    if (this.#lane.isFor(checked)) this.#lane.add([waiting])
    else this.#enqueue(waiting, urgency)
    const result = await promise
    if (result.kind === 'fault') throw new InvariantError(result.message)
    if (checked.kind === 'settle' && isLate(result)) this.#onLate(checked, result)
    return result as ResultOf<Operation>
  }

  #enqueue(waiting: Waiting, urgency: Urgency): void {
    this.#queue.push(waiting)
    this.#noteArrival(urgency)
    this.#running ??= this.#run()
  }

  /** Resolves once everything submitted before is durable or was refused. */
  async drain(): Promise<void> {
    while (this.#running !== null || this.#commits.size > 0) await Promise.all([this.#running, ...this.#commits])
    await this.#lane.drain()
  }

  /** Takes no more operations and waits for those that are there. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#hurry?.()
    await this.drain()
  }

  async #run(): Promise<void> {
    // Requests that arrived in the same turn of the event loop share the first commit.
    await new Promise<void>((resolve) => setImmediate(resolve))
    while (this.#queue.length > 0) {
      await this.#gather()
      const batch = this.#queue.length <= this.#batchMax ? this.#queue : this.#queue.slice(0, this.#batchMax)
      this.#queue = batch === this.#queue ? [] : this.#queue.slice(this.#batchMax)
      this.#lastBatch = batch.length
      this.#isUrgent = this.#queue.length > 0
      this.#send(batch)
      while (this.#commits.size >= (this.#engine.batchesAtOnce ?? 1)) await Promise.race(this.#commits)
    }
    this.#running = null
  }

  #send(batch: readonly Waiting[]): void {
    this.#inFlight += batch.length
    this.#begun.set(batch, performance.now())
    const commit = this.#commit(batch).finally(() => {
      this.#inFlight -= batch.length
      this.#begun.delete(batch)
      this.#commits.delete(commit)
    })
    this.#commits.add(commit)
  }

  #noteArrival(urgency: Urgency): void {
    const now = performance.now()
    this.#averageGapMs += (Math.min(now - this.#lastSubmitAt, PATIENCE_MS) - this.#averageGapMs) * GAP_WEIGHT
    this.#lastSubmitAt = now
    if (urgency === 'soon') return
    this.#isUrgent = true
    this.#hurry?.()
  }

  /**
   * A commit costs nearly the same for one operation as for ten. Where many callers are about, the others are given a
   * moment to come; where few are, no urgent operation waits.
   */
  async #gather(): Promise<void> {
    if (this.#lastBatch >= GATHER_FROM) {
      const leftMs = this.#lastCommitAt + this.#gatherMs - performance.now()
      if (leftMs > 0 && this.#queue.length < this.#batchMax) await waitMs(leftMs)
    } else if (!this.#isUrgent && !this.#isClosed && this.#averageGapMs * PATIENT_AMONG <= PATIENCE_MS) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, PATIENCE_MS)
      this.#hurry = resolve
      await promise
      this.#hurry = null
      clearTimeout(timer)
    }
    this.#lastCommitAt = performance.now()
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    const startedMs = performance.now()
    try {
      const results = await this.#apply(batch.map((waiting) => waiting.operation))
      this.#batches++
      this.#operations += batch.length
      this.#lastCommitMs = performance.now() - startedMs
      this.#failuresInARow = 0
      this.#lane.add(batch.filter((_waiting, index) => results[index]?.kind === 'busy'))
      batch.forEach((waiting, index) => {
        const result = results[index]
        if (result === undefined) waiting.reject(new InvariantError('the engine left an operation unanswered'))
        else if (result.kind !== 'busy') waiting.resolve(result)
      })
    } catch (error) {
      if (isRefusal(error) && batch.length > 1) return this.#commitOneByOne(batch)
      if (!isRefusal(error)) this.#failuresInARow++
      const failure = isRefusal(error)
        ? new InvariantError('the database refused a money operation', { cause: error })
        : overloaded('The ledger cannot be reached.', error)
      for (const waiting of batch) waiting.reject(failure)
    }
  }

  /**
   * Engines decide by conditions, so what the database refuses is a mistake in the program: it must not harm the others
   * of its batch.
   */
  async #commitOneByOne(batch: readonly Waiting[]): Promise<void> {
    for (const waiting of batch) await this.#commit([waiting])
  }

  async #apply(operations: readonly LedgerOperation[]): Promise<readonly EngineResult[]> {
    const startedMs = performance.now()
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#engine.apply(operations)
      } catch (error) {
        const pauseMs = this.#retryWaitsMs[attempt]
        const isLate = performance.now() - startedMs > RETRY_FOR_MS
        if (pauseMs === undefined || isLate || isRefusal(error)) throw error
        this.#retries++
        await waitMs(pauseMs)
      }
    }
  }
}

function isLate(result: LedgerResult): result is Parameters<OnLate>[1] {
  return result.kind === 'unknown_caller' || (result.kind === 'settled' && result.isLate)
}

function overloaded(message: string, cause?: unknown): ServiceError {
  return new ServiceError('server_is_overloaded', message, { cause, retryAfterSeconds: RETRY_AFTER_SECONDS })
}
