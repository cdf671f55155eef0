import { setTimeout as pauseFor } from 'node:timers/promises'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { BelievedClock } from '../../platform/runtime/believed-clock.ts'

/**
 * What waits in memory at most, in UTF-16 units together, and how often it is tried again, in milliseconds. Source: own
 * choice.
 */
const WAITING_LENGTH_MAX = 32 * 1_048_576
const TRY_AGAIN_MS = 1_000

/** Writes that the database does not take at the moment: they wait in memory and are tried until it does. */
export class PatientWrites {
  readonly #clock: Pick<BelievedClock, 'latest' | 'earliest'>
  readonly #keptMs: number
  #waitingLength = 0

  /** @param keptMs how long what is written is of use to a client. */
  constructor(clock: Pick<BelievedClock, 'latest' | 'earliest'>, keptMs: number) {
    this.#clock = clock
    this.#keptMs = keptMs
  }

  /**
   * Resolves once the write is done.
   * @throws what it failed with, where the database was not away, too much waits already, or it is of no use any more.
   */
  async write(length: number, work: () => Promise<unknown>): Promise<void> {
    const until = this.#clock.latest() + this.#keptMs
    this.#waitingLength += length
    try {
      while (!(await this.#isDone(work, until))) await pauseFor(TRY_AGAIN_MS, undefined, { ref: false })
    } finally {
      this.#waitingLength -= length
    }
  }

  async #isDone(work: () => Promise<unknown>, until: number): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      const isAbandoned = this.#waitingLength > WAITING_LENGTH_MAX || this.#clock.earliest() > until
      if (!(error instanceof ServiceError) || isAbandoned) throw error
      return false
    }
  }
}
