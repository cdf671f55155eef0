import { mostOf, tooMany } from './too-many.ts'

/** A limit on the streams that a caller has open at once, wherever they are counted. */
export interface StreamLimit {
  /** Streams that are open in this process, over all callers. */
  readonly open: number
  /**
   * Takes a slot.
   *
   * @param most the caller's own limit; absent where the kind's holds.
   * @param setFor whose limit that is, as in `team`: a refusal says so. Absent says nothing.
   * @returns the function that gives it back; calling it twice is harmless. A promise only where processes share them.
   * @throws {ServiceError} `rate_limit_exceeded` when all are taken; a promise rejects with it.
   */
  take(caller: string, most?: number, setFor?: string): GiveBack | Promise<GiveBack>
}

/** Streams that a caller without a limit of their own may have open; read at each stream. */
export interface StreamsAtOnce {
  readonly streamsAtOnce: number
}

/** Gives a slot back. Calling it twice is harmless. */
export type GiveBack = () => void

/** The refusal of a stream. @param most streams that a caller may have open. @param setFor whose limit that is. */
export function slotsError(most: number, setFor: string | undefined): Error {
  return tooMany({ what: 'streams with this key at once', most: mostOf(String(most), setFor), waitSeconds: 1 })
}

/** Counts the streams that a caller has open in this process, up to a limit. */
export class StreamSlots implements StreamLimit {
  readonly #limits: StreamsAtOnce
  readonly #onRefused: () => void
  readonly #open = new Map<string, number>()

  constructor(limits: StreamsAtOnce, onRefused: () => void = () => undefined) {
    this.#limits = limits
    this.#onRefused = onRefused
  }

  get open(): number {
    let open = 0
    for (const count of this.#open.values()) open += count
    return open
  }

  take(caller: string, most = this.#limits.streamsAtOnce, setFor?: string): GiveBack {
    const open = this.#open.get(caller) ?? 0
    if (open >= most) {
      this.#onRefused()
      throw slotsError(most, setFor)
    }
    this.#open.set(caller, open + 1)
    return once(() => {
      const left = (this.#open.get(caller) ?? 1) - 1
      if (left === 0) this.#open.delete(caller)
      else this.#open.set(caller, left)
    })
  }
}

/** A function that does its work at the first call and nothing at any other. */
export function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    work()
  }
}
