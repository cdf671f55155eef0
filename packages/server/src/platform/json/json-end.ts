import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './json-bytes.ts'

/**
 * Follows JSON text that comes in pieces to the end of its object or list. Each character is looked at once, where
 * parsing what came so far with every piece would take the square of its length.
 */
export class JsonEnd {
  #depth = 0
  #isInString = false
  #isEscaped = false
  #isReached = false

  /** Whether the outermost bracket has closed. Never so for a bare text or number, whose end nothing marks. */
  get isReached(): boolean {
    return this.#isReached
  }

  push(text: string): void {
    for (let at = 0; at < text.length && !this.#isReached; at++) this.#take(text.charCodeAt(at))
  }

  #take(unit: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (unit === BACKSLASH) this.#isEscaped = this.#isInString
    else if (unit === QUOTE) this.#isInString = !this.#isInString
    else if (this.#isInString) return
    else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) this.#depth++
    else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) this.#isReached = --this.#depth <= 0
  }
}
