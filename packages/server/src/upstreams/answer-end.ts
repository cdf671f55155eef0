/**
 * How long an upstream may still send once its answer is whole. Every stream that an upstream sends ends by this rule,
 * whatever its form: chats in each wire, images, transcripts, and streams that came in the place of a whole answer.
 */

/**
 * Milliseconds without more content, after which a whole answer is over although its stream is open. Source: decision
 * 0083 (when a streamed answer is complete).
 */
export const AFTER_END_MS = 5_000

/** The longest that content may keep a whole answer open, in milliseconds. Source: own choice. */
const AFTER_END_MAX_MS = 6 * AFTER_END_MS

/** Waits for the end of a stream whose answer is whole. One for each stream. */
export class AnswerEnd {
  readonly #onOver: () => void
  #timer: NodeJS.Timeout | undefined
  /** When the answer became whole; null while it is not. */
  #since: number | null = null

  /** @param onOver is called once when nothing more came in time. */
  constructor(onOver: () => void) {
    this.#onOver = onOver
  }

  /**
   * The answer is whole: the wait begins.
   *
   * @param isNew whether a part of the answer has just come: then a wait that runs begins again. What says nothing of
   *   the answer, such as a ping or an empty chunk, lengthens no wait.
   */
  whole(isNew: boolean): void {
    if (this.#since !== null && !isNew) return
    const now = performance.now()
    this.#since ??= now
    clearTimeout(this.#timer)
    const left = AFTER_END_MAX_MS - (now - this.#since)
    this.#timer = setTimeout(this.#onOver, Math.max(0, Math.min(AFTER_END_MS, left)))
  }

  /** Something that belongs to the answer has begun anew, or the stream has ended: there is nothing to wait for. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#since = null
  }
}
