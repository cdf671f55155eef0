import { mostOf, tooMany } from './too-many.ts'

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
   * @param limit the caller's own; absent where the kind's holds.
   * @param setFor whose limit that is, as in `set for this team`: a refusal says so. Absent says nothing.
   * @throws {ServiceError} `rate_limit_exceeded` when all are taken, before the work begins.
   */
  async within<Result>(caller: string, work: () => Promise<Result>, limit?: number, setFor?: string): Promise<Result> {
    const giveBack = this.take(caller, limit, setFor)
    try {
      return await work()
    } finally {
      giveBack()
    }
  }

  /**
   * Takes a slot.
   * @param limit the caller's own; absent where the kind's holds.
   * @param setFor whose limit that is; absent says nothing.
   * @returns the function that gives it back; calling it twice is harmless.
   * @throws {ServiceError} `rate_limit_exceeded` when all are taken.
   */
  take(caller: string, limit = this.#limit, setFor?: string): () => void {
    const open = this.#open.get(caller) ?? 0
    if (open >= limit) {
      throw tooMany({ what: 'streams with this key at once', most: mostOf(String(limit), setFor), waitSeconds: 1 })
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
