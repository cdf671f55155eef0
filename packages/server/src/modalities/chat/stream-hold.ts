import type { OpenHold } from '../../money/billing/open-hold.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { BYTES_PER_ESTIMATED_TOKEN } from '../../pricing/charge-chat.ts'
import { mayKeepLimit } from '../../pipeline/kept-limit.ts'

/** What the stream has to do after a look at its hold. */
export type HoldState = 'covered' | 'wait' | 'exhausted'

/** After an extension that the database could not take it is asked again, so long later. Source: own choice. */
const AGAIN_MS = 500

/**
 * Keeps the hold of a stream ahead of its output, where the balance and not the client limits the answer: it doubles
 * while output comes. Where an upstream goes far beyond the limit that it was sent, the hold follows it, too, and the
 * stream ends where the credits do. Source: decision 0007 (no output limit asked).
 *
 * While the database is away the stream goes on as far as its hold covers it, and waits there. The lease of the process
 * ends that wait. Source: decision 0145 (a database that is away ends no stream).
 */
export class StreamHold {
  readonly #hold: OpenHold
  readonly #choices: number
  /** What was sent to the upstream as limit, or the model's own maximum. */
  readonly #unitsMax: number
  #extending = false
  #again: NodeJS.Timeout | undefined
  #isOver = false
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
    this.#unitsMax = hold.limitUnits ?? hold.request.units
    this.#onChange = onChange
  }

  /** Looks whether the output so far is covered, and extends in time. */
  check(outputBytes: number): HoldState {
    this.#isOver = false
    const used = outputBytes / BYTES_PER_ESTIMATED_TOKEN / this.#choices
    const most = mayKeepLimit(used, this.#unitsMax) ? this.#unitsMax : Number.MAX_SAFE_INTEGER
    if (this.#hold.units >= most) return 'covered'
    const isAtEnd = used >= this.#hold.units
    // What was lacking ahead may have come back since: no answer is cut before the credits were asked for again.
    const mayAsk = this.#refused === null || (isAtEnd && this.#refused === 'ahead')
    if (used * 2 >= this.#hold.units && !this.#extending && mayAsk) this.#extend(isAtEnd ? 'at_end' : 'ahead', most)
    if (!isAtEnd) return 'covered'
    return this.#extending ? 'wait' : 'exhausted'
  }

  /** Ends what it waits for: its stream is over. */
  close(): void {
    clearTimeout(this.#again)
    this.#isOver = true
    this.#extending = false
  }

  #extend(place: 'ahead' | 'at_end', most: number): void {
    this.#extending = true
    const before = this.#hold.units
    const target = Math.min(Math.max(before * 2, 1), most)
    this.#hold.extend(target).then(
      (units) => {
        this.#extending = false
        this.#refused = units <= before ? place : null
        this.#onChange(null)
      },
      (error: unknown) => {
        if (isPassing(error) && !this.#isOver) return this.#askAgain()
        this.#extending = false
        this.#refused = 'at_end'
        this.#onChange(error)
      },
    )
  }

  /** Meanwhile it counts as asked for: the stream goes on, and waits at the end of what is held. */
  #askAgain(): void {
    this.#again = setTimeout(() => {
      this.#extending = false
      this.#onChange(null)
    }, AGAIN_MS)
  }
}

/** Whether the ledger could not be asked, and refused nothing. */
function isPassing(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'server_is_overloaded'
}
