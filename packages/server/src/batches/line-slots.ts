import { setTimeout as pauseFor } from 'node:timers/promises'

/** How often it is looked whether requests of others have left room, in milliseconds. Source: own choice. */
const LOOK_MS = 100

export interface LineSlotsDeps {
  /** Lines that are worked on at a time in this process, at most. */
  readonly most: number
  /** Requests that this process works on now, lines included. */
  readonly running: () => number
}

/**
 * Room for lines of batches in one process. Each request of others takes the place of a line; one line has room always,
 * so that batches come to their end however busy a gateway is. Who asks first is given room first.
 */
export class LineSlots {
  readonly #deps: LineSlotsDeps
  #used = 0
  #turn: Promise<void> = Promise.resolve()

  constructor(deps: LineSlotsDeps) {
    this.#deps = deps
  }

  /** Waits for room. @returns what gives it back, and may be called once. */
  async take(): Promise<() => void> {
    const before = this.#turn
    const mine = Promise.withResolvers<void>()
    this.#turn = mine.promise
    await before
    try {
      while (!this.#hasRoom()) await pauseFor(LOOK_MS)
      this.#used++
    } finally {
      mine.resolve()
    }
    return () => {
      this.#used--
    }
  }

  #hasRoom(): boolean {
    const { most, running } = this.#deps
    const others = Math.max(0, running() - this.#used)
    return this.#used < Math.max(1, most - others)
  }
}
