/**
 * How long an upstream may let its answer wait. A connection that is kept open by comments and blanks holds a client's
 * credits as one that is silent does.
 */
import { errors } from 'undici'

/** Limits of one answer once its headers have come, each in milliseconds. */
export interface Patience {
  /** The longest silence before its first content: models think before they speak. */
  readonly firstMs: number
  /** The longest silence after it. */
  readonly idleMs: number
  /** The longest time without new content, whatever else comes. */
  readonly contentMs: number
}

/** A limit is looked at so many times within its length: it ends an answer by so much later at most. */
const LOOKS = 4

/** Watches one answer. It costs nothing for a piece but two flags. */
export class SilenceWatch {
  readonly #patience: Patience
  readonly #tickMs: number
  readonly #onOver: (error: Error) => void
  #timer: NodeJS.Timeout | undefined
  #isPaused = false
  #wasHeard = false
  #hasProgressed = false
  #hasContent = false
  #silentMs = 0
  #barrenMs = 0

  /** @param onOver is called once when a limit has passed. */
  constructor(patience: Patience, onOver: (error: Error) => void) {
    const { firstMs, idleMs, contentMs } = patience
    this.#patience = patience
    this.#tickMs = Math.max(1, Math.ceil(Math.min(firstMs, idleMs, contentMs) / LOOKS))
    this.#onOver = onOver
  }

  /** The headers have come. */
  start(): void {
    this.#timer = setInterval(() => this.#look(), this.#tickMs)
  }

  /** Bytes have come, whatever they say. */
  heard(): void {
    this.#wasHeard = true
  }

  /** A part of the answer has come. */
  progressed(): void {
    this.#hasProgressed = true
  }

  /** The socket is not read: whatever waits there is not the upstream's silence. */
  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.#wasHeard = true
    this.#hasProgressed = true
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    if (this.#isPaused) return
    this.#silentMs = this.#wasHeard ? 0 : this.#silentMs + this.#tickMs
    this.#barrenMs = this.#hasProgressed ? 0 : this.#barrenMs + this.#tickMs
    this.#hasContent ||= this.#hasProgressed
    this.#wasHeard = false
    this.#hasProgressed = false
    const { firstMs, idleMs, contentMs } = this.#patience
    const isSilent = this.#silentMs >= (this.#hasContent ? idleMs : firstMs)
    if (!isSilent && this.#barrenMs < contentMs) return
    this.stop()
    this.#onOver(new errors.BodyTimeoutError('The upstream let its answer wait for too long'))
  }
}
