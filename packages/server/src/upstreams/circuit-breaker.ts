import type { MonotonicClock } from '../platform/runtime/clock.ts'
import { isAboutKey } from './key-ring.ts'
import { type FailureKind, UpstreamFailure } from './upstream-failure.ts'

/** `open` asks nothing of the upstream, `half_open` lets one call through to see. */
export type CircuitState = 'closed' | 'half_open' | 'open'

export interface BreakerLimits {
  /** Read at each failure: what holds may change while the process runs. */
  readonly configured: {
    /** Failures that open a circuit, when they are at least half of the last calls. */
    readonly breakerFailures: number
    /**
     * How long an open circuit waits before it tries again, in milliseconds; doubled with each try that fails. 0 opens
     * none.
     */
    readonly breakerOpenMs: number
  }
  /** Tells by the name of a model, or of a video's job, whether its failures were asked for: then they say nothing. */
  readonly isScripted?: ((name: string) => boolean) | undefined
  /** Whether the refusal of a key says nothing of the upstream, since another key is served. Absent: it has one key. */
  readonly isSpared?: ((failure: UpstreamFailure) => boolean) | undefined
}

/** What a circuit remembers: one bit for each of the last calls, 1 where it failed. */
interface Circuit {
  history: number
  calls: number
  lastAt: number
  /** Until when nothing is asked; 0 while it is closed. */
  openUntil: number
  /** How often it was opened without a success in between. */
  openings: number
  /** Until when a call that was let through is waited for; 0 for none. */
  probeUntil: number
}

/** Calls that are remembered. Source: own choice. */
const CALLS = 20
const HISTORY_MASK = 2 ** CALLS - 1
/** What happened longer ago says nothing of now, in milliseconds. Source: own choice. */
const MEMORY_MS = 60_000
/** An open circuit is tried again after so many times its first wait at most. Source: own choice. */
const OPEN_TIMES_MAX = 8
/** A call that was let through and never came back keeps the others away for so long, in milliseconds. Source: own. */
const PROBE_MS = 130_000
/** Circuits of models that are remembered; the oldest is forgotten first. */
const CIRCUITS_MAX = 1_000

/**
 * Failures that speak about the upstream. What a request of a client can bring about by itself is not among them:
 * refused, forbidden or empty, and models that are not there.
 */
const counted: ReadonlySet<FailureKind> = new Set(['rate_limited', 'overloaded', 'timeout', 'unreachable', 'broken'])

function failuresIn(history: number): number {
  let count = 0
  for (let rest = history; rest !== 0; rest &= rest - 1) count++
  return count
}

/**
 * Keeps calls away from an upstream that fails: a circuit for each of its models, and one for our account with it,
 * which opens at the first refusal of our key or credit by its status, and at the second by words alone. While
 * everything works nothing is remembered at all.
 *
 * Source: decision 0034 (circuit breaker).
 */
export class CircuitBreaker {
  readonly #limits: BreakerLimits
  readonly #clock: MonotonicClock
  readonly #models = new Map<string, Circuit>()
  readonly #onNote: ((model: string, error: unknown) => void) | null
  #account: Circuit | null = null

  /** @param onNote called at the end of each call, also where no circuit is ever opened. */
  constructor(
    limits: BreakerLimits,
    clock: MonotonicClock,
    onNote: ((model: string, error: unknown) => void) | null = null,
  ) {
    this.#limits = limits
    this.#clock = clock
    this.#onNote = onNote
  }

  /** Milliseconds until a call for this model may be made; 0 for now. Takes nothing. */
  waitMs(model: string): number {
    if (this.#account === null && this.#models.size === 0) return 0
    const now = this.#clock.elapsed()
    return Math.max(waitOf(this.#account, now), waitOf(this.#models.get(model) ?? null, now))
  }

  /** Takes leave to make a call. @returns false when the upstream shall not be asked now. */
  admit(model: string): boolean {
    if (this.#account === null && this.#models.size === 0) return true
    if (this.waitMs(model) > 0) return false
    const now = this.#clock.elapsed()
    for (const circuit of [this.#account, this.#models.get(model)]) {
      if (circuit !== null && circuit !== undefined && circuit.openUntil > 0) circuit.probeUntil = now + PROBE_MS
    }
    return true
  }

  /**
   * Notes how a call ended.
   * @param error null for an answer; an error that is no failure of the upstream says that it answered.
   */
  note(model: string, error: unknown): void {
    // It was never asked.
    if (error instanceof UpstreamFailure && error.kind === 'busy') return this.release(model)
    this.#onNote?.(model, error)
    if (this.#limits.configured.breakerOpenMs === 0 || this.#limits.isScripted?.(model) === true) return
    if (error === null && this.#account === null && this.#models.size === 0) return
    if (!(error instanceof UpstreamFailure)) return this.#worked(model, error === null)
    if (isAboutKey(error) && this.#limits.isSpared?.(error) === true) return this.release(model)
    if (error.kind === 'our_account') this.#refusedUs(model, error)
    else if (counted.has(error.kind)) this.#failed(model, error)
    else this.#worked(model, false)
  }

  /** Takes back the leave of a call that we ended ourselves: it says nothing of the upstream. */
  release(model: string): void {
    for (const circuit of [this.#account, this.#models.get(model)]) {
      if (circuit !== null && circuit !== undefined) circuit.probeUntil = 0
    }
  }

  /** Every circuit that is not closed; `model` null is our account. */
  states(): readonly { readonly model: string | null; readonly state: 'half_open' | 'open' }[] {
    const now = this.#clock.elapsed()
    const all: [string | null, Circuit | null][] = [[null, this.#account], ...this.#models]
    return all.flatMap(([model, circuit]) => {
      const state = stateOf(circuit, now)
      return state === 'closed' ? [] : [{ model, state }]
    })
  }

  /**
   * A status says for certain that our account is refused. Words under another status may be about one request alone:
   * they open the circuit when they come a second time with no answer in between.
   */
  #refusedUs(model: string, failure: UpstreamFailure): void {
    // The call has come back, and said nothing of its model: the next one may try it.
    const tried = this.#models.get(model)
    if (tried !== undefined) tried.probeUntil = 0
    const circuit = this.#account ?? newCircuit()
    this.#account = circuit
    circuit.calls++
    if (!failure.isByWords || circuit.calls > 1) this.#opened(circuit, failure)
  }

  #worked(model: string, isAnswer: boolean): void {
    const now = this.#clock.elapsed()
    // What ends while a circuit is open was begun before it opened, and says nothing of now.
    if (this.#account !== null && this.#account.openUntil <= now) this.#account = null
    const circuit = this.#models.get(model)
    if (circuit === undefined || circuit.openUntil > now) return
    // A refused request shows that the upstream is there, and is no sign that answers come.
    if (circuit.openUntil > 0) circuit.history = 0
    else if (isAnswer) this.#remember(circuit, 0)
    if (circuit.history === 0) this.#models.delete(model)
  }

  #failed(model: string, failure: UpstreamFailure): void {
    if (this.#account !== null) this.#account.probeUntil = 0
    let circuit = this.#models.get(model)
    if (circuit === undefined) {
      circuit = newCircuit()
      for (const oldest of this.#models.keys()) {
        if (this.#models.size < CIRCUITS_MAX) break
        this.#models.delete(oldest)
      }
      this.#models.set(model, circuit)
    }
    this.#remember(circuit, 1)
    const failures = failuresIn(circuit.history)
    const isBad = failures >= this.#limits.configured.breakerFailures && failures * 2 >= circuit.calls
    if (circuit.openUntil > 0 || isBad) this.#opened(circuit, failure)
  }

  #remember(circuit: Circuit, failed: 0 | 1): void {
    const now = this.#clock.elapsed()
    const isOld = now - circuit.lastAt > MEMORY_MS
    circuit.history = ((isOld ? 0 : circuit.history << 1) | failed) & HISTORY_MASK
    circuit.calls = Math.min(isOld ? 1 : circuit.calls + 1, CALLS)
    circuit.lastAt = now
  }

  #opened(circuit: Circuit, failure: UpstreamFailure): Circuit {
    const now = this.#clock.elapsed()
    // Calls that were under way when it opened tell nothing new.
    if (circuit.openUntil > now) return circuit
    const times = Math.min(2 ** circuit.openings, OPEN_TIMES_MAX)
    circuit.openings++
    circuit.openUntil = now + Math.max(this.#limits.configured.breakerOpenMs * times, failure.waitMs ?? 0)
    circuit.probeUntil = 0
    return circuit
  }
}

function newCircuit(): Circuit {
  return { history: 0, calls: 0, lastAt: 0, openUntil: 0, openings: 0, probeUntil: 0 }
}

function waitOf(circuit: Circuit | null, now: number): number {
  return circuit === null ? 0 : Math.max(circuit.openUntil - now, circuit.probeUntil - now, 0)
}

function stateOf(circuit: Circuit | null, now: number): CircuitState {
  if (circuit === null || circuit.openUntil === 0) return 'closed'
  return circuit.openUntil > now ? 'open' : 'half_open'
}
