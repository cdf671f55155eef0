import type { OpenHold } from '../billing/open-hold.ts'
import { BYTES_PER_ESTIMATED_TOKEN } from '../pricing/charge-chat.ts'

/** What the stream has to do after a look at its hold. */
export type HoldState = 'covered' | 'wait' | 'exhausted'

/**
 * Keeps the hold of a stream ahead of its output, where the balance and not the client limits the answer: it doubles
 * while output comes. Source: decision 0007 (no output limit asked).
 */
export class StreamHold {
  readonly #hold: OpenHold
  readonly #choices: number
  /** The most that is ever held: what was sent to the upstream as limit, or the model's own maximum. */
  readonly #unitsMax: number
  #extending = false
  /**
   * Where the last extension got nothing: ahead of the output, where it is tried once more at the end, or at the end
   * itself.
   */
  #refused: 'ahead' | 'at_end' | null = null
  readonly #onChange: (error: unknown) => void

  /** @param onChange is called after each extension, with the error that ended it or null. */
  constructor(hold: OpenHold, choices: number, onChange: (error: unknown) => void) {
    this.#hold = hold
    this.#choices = choices
    this.#unitsMax = hold.limit ?? hold.request.units
    this.#onChange = onChange
  }

  /** Looks whether the output so far is covered, and extends in time. */
  check(outputBytes: number): HoldState {
    if (this.#hold.units >= this.#unitsMax) return 'covered'
    const used = outputBytes / BYTES_PER_ESTIMATED_TOKEN / this.#choices
    const isAtEnd = used >= this.#hold.units
    // What was lacking ahead may have come back since: no answer is cut before the purse was asked again.
    const mayAsk = this.#refused === null || (isAtEnd && this.#refused === 'ahead')
    if (used * 2 >= this.#hold.units && !this.#extending && mayAsk) this.#extend(isAtEnd ? 'at_end' : 'ahead')
    if (!isAtEnd) return 'covered'
    return this.#extending ? 'wait' : 'exhausted'
  }

  #extend(place: 'ahead' | 'at_end'): void {
    this.#extending = true
    const before = this.#hold.units
    const target = Math.min(before * 2, this.#unitsMax)
    this.#hold.extend(target).then(
      (units) => {
        this.#extending = false
        this.#refused = units <= before ? place : null
        this.#onChange(null)
      },
      (error: unknown) => {
        this.#extending = false
        this.#refused = 'at_end'
        this.#onChange(error)
      },
    )
  }
}
