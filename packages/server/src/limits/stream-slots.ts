import { tooMany } from './too-many.ts'

/** Counts the streams that a caller has open, up to a limit. */
export class StreamSlots {
  readonly #limit: number
  readonly #open = new Map<string, number>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Streams that are open, over all callers. */
  get open(): number {
    let open = 0
    for (const count of this.#open.values()) open += count
    return open
  }

  /**
   * Works in a slot, which is given back at every end.
   * @throws {ServiceError} `rate_limit_exceeded` when all are taken, before the work begins.
   */
  async within<Result>(caller: string, work: () => Promise<Result>): Promise<Result> {
    const giveBack = this.take(caller)
    try {
      return await work()
    } finally {
      giveBack()
    }
  }

  /**
   * Takes a slot.
   * @returns the function that gives it back; calling it twice is harmless.
   * @throws {ServiceError} `rate_limit_exceeded` when all are taken.
   */
  take(caller: string): () => void {
    const open = this.#open.get(caller) ?? 0
    if (open >= this.#limit) {
      throw tooMany({ what: 'streams with this key at once', most: String(this.#limit), waitSeconds: 1 })
    }
    this.#open.set(caller, open + 1)
    let taken = true
    return () => {
      if (!taken) return
      taken = false
      const left = (this.#open.get(caller) ?? 1) - 1
      if (left === 0) this.#open.delete(caller)
      else this.#open.set(caller, left)
    }
  }
}
