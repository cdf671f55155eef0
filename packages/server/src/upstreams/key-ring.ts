/**
 * The keys of one upstream: which of them makes the next call, and which rest. A key that was refused rests for as long
 * as its refusal says; of the others the one goes first that has most left by its last answers.
 *
 * Source: decision 0142 (several keys of an upstream).
 */
import type { IncomingHttpHeaders } from 'node:http'
import { InvariantError } from '../platform/errors/invariant-error.ts'
import type { SystemClock } from '../platform/runtime/clock.ts'
import type { CallEnd, CallObserver } from './call-observer.ts'
import { type LeftRate, leftRates } from './rate-headers.ts'
import { type FailureKind, UpstreamFailure } from './upstream-failure.ts'

/** What a key is refused for while another may be served. */
const ofKey: ReadonlySet<FailureKind> = new Set(['our_account', 'rate_limited'])

/** Generations of which is remembered which key has made them; the oldest is forgotten first. Source: own choice. */
const GENERATIONS_MAX = 10_000

/** How long a key rests that is refused or out of credit, where nothing says it, in milliseconds. Source: own choice. */
const REFUSED_MS = 60_000
/** The same for one that asked too often. Source: own choice. */
const LIMITED_MS = 2_000
/** What an answer says of a rate without saying when it is whole again, is forgotten after so long. Source: own choice. */
const UNTOLD_RESET_MS = 60_000
/** It rests so many times as long at most while it goes on being refused. Source: own choice. */
const REST_TIMES_MAX = 8

/** A key, and what is known of it. */
interface KeyState {
  readonly name: string
  /** Until when it rests, by the monotonic clock, and for what. */
  restsUntil: number
  restsFor: FailureKind | null
  /** Refusals in a row. */
  refusals: number
  /** Calls that run. */
  running: number
  /** Calls that were begun since its rates were told. */
  begunSince: number
  /** When it was last taken, as a count: of equal ones the longest unused goes first. */
  takenAt: number
  rates: readonly (LeftRate & { readonly toldAt: number })[]
}

/** What operators see of a key. */
export interface KeyFigures {
  readonly key: string
  readonly isResting: boolean
  /** Part of its rate that is left, by its last answers: from 0 to 1. 1 where they say nothing. */
  readonly left: number
}

export interface KeyRingOptions {
  /** Names of the keys, never the keys; at least one. */
  readonly names: readonly string[]
  readonly clock: SystemClock
  /** Called when a key begins to rest. It must not throw. */
  readonly onRest?: ((rest: KeyRest) => void) | undefined
}

/** A key that rests. */
export interface KeyRest {
  readonly key: string
  readonly failure: FailureKind
  readonly restMs: number
}

/** Whether a failure is about the key that made the call. */
export function isAboutKey(error: unknown): error is UpstreamFailure {
  return error instanceof UpstreamFailure && ofKey.has(error.kind)
}

export class KeyRing {
  readonly #options: KeyRingOptions
  readonly #keys: readonly KeyState[]
  readonly #generations = new Map<string, number>()
  #taken = 0

  constructor(options: KeyRingOptions) {
    this.#options = options
    this.#keys = options.names.map((name) => ({
      ...{ name, restsUntil: 0, restsFor: null, refusals: 0, running: 0, begunSince: 0, takenAt: 0, rates: [] },
    }))
  }

  get size(): number {
    return this.#keys.length
  }

  /**
   * The key for the next call, as its place in the list. While all rest, the one goes whose rest ends first: a single
   * key is never refused by us either.
   * @param tried those that have failed for this call already; a call that has tried all is over (`hasSpare`).
   */
  next(tried: ReadonlySet<number>): number {
    const now = this.#options.clock.elapsed()
    let best: number | null = null
    for (let index = 0; index < this.#keys.length; index++) {
      if (!tried.has(index) && (best === null || this.#isBetter(index, best, now))) best = index
    }
    if (best === null) throw new InvariantError('a call asks for a key after all have failed it')
    return best
  }

  /** Whether a key is left that neither rests nor was tried. */
  hasSpare(tried: ReadonlySet<number> = new Set()): boolean {
    const now = this.#options.clock.elapsed()
    return this.#keys.some(({ restsUntil }, index) => restsUntil <= now && !tried.has(index))
  }

  /**
   * Whether a failure of one key is none of the upstream: another key may be served now, or is not refused and will be.
   */
  isSpared(failure: UpstreamFailure): boolean {
    if (failure.kind === 'rate_limited') return this.hasSpare()
    const now = this.#options.clock.elapsed()
    return this.#keys.some(({ restsUntil, restsFor }) => restsUntil <= now || restsFor !== 'our_account')
  }

  /** The place of the key that has made a generation; null where that is not remembered. */
  makerOf(generationId: string): number | null {
    return this.#generations.get(generationId) ?? null
  }

  /** The place of a key by its name; null for one that is not configured any more. */
  find(name: string): number | null {
    const index = this.#keys.findIndex((key) => key.name === name)
    return index === -1 ? null : index
  }

  nameOf(index: number): string {
    return this.#of(index).name
  }

  /** Follows one call of a key to its end. */
  observe(index: number): CallObserver {
    const key = this.#of(index)
    key.running++
    key.begunSince++
    key.takenAt = ++this.#taken
    return {
      answered: () => {
        key.refusals = 0
      },
      ended: (end) => {
        key.running--
        const generationId = end.answer?.generationId ?? null
        if (generationId !== null) this.#remember(generationId, index)
        this.#ended(key, end)
      },
    }
  }

  /** Notes what the headers of an answer say. */
  told(index: number, headers: IncomingHttpHeaders): void {
    const { clock } = this.#options
    const rates = leftRates(headers, clock.now())
    if (rates.length === 0) return
    const key = this.#of(index)
    const toldAt = clock.elapsed()
    key.rates = rates.map((rate) => ({ ...rate, toldAt }))
    key.begunSince = 0
  }

  figures(): readonly KeyFigures[] {
    const now = this.#options.clock.elapsed()
    return this.#keys.map((key) => ({ key: key.name, isResting: key.restsUntil > now, left: leftOf(key, now) }))
  }

  #of(index: number): KeyState {
    const key = this.#keys[index]
    if (key === undefined) throw new RangeError(`there is no key ${index}`)
    return key
  }

  #isBetter(index: number, than: number, now: number): boolean {
    const [one, other] = [this.#of(index), this.#of(than)]
    const [rests, otherRests] = [Math.max(one.restsUntil - now, 0), Math.max(other.restsUntil - now, 0)]
    if (rests !== otherRests) return rests < otherRests
    const [left, otherLeft] = [leftOf(one, now), leftOf(other, now)]
    if (left !== otherLeft) return left > otherLeft
    return one.running === other.running ? one.takenAt < other.takenAt : one.running < other.running
  }

  #remember(generationId: string, index: number): void {
    for (const oldest of this.#generations.keys()) {
      if (this.#generations.size < GENERATIONS_MAX) break
      this.#generations.delete(oldest)
    }
    this.#generations.set(generationId, index)
  }

  #ended(key: KeyState, { error, isStopped }: CallEnd): void {
    if (isStopped || !isAboutKey(error)) return
    const now = this.#options.clock.elapsed()
    const usual = error.kind === 'rate_limited' ? LIMITED_MS : REFUSED_MS
    const waited = error.waitMs ?? resetOf(key, now) ?? usual * Math.min(2 ** key.refusals, REST_TIMES_MAX)
    key.refusals++
    const wasResting = key.restsUntil > now
    if (now + waited >= key.restsUntil) key.restsFor = error.kind
    key.restsUntil = Math.max(key.restsUntil, now + waited)
    // Calls that were under way when it began to rest tell nothing new.
    if (!wasResting) this.#options.onRest?.({ key: key.name, failure: error.kind, restMs: waited })
  }
}

/** What is left of the rate of which least is left; a rate that was reset since is whole. */
function leftOf({ rates, begunSince }: KeyState, now: number): number {
  let least = 1
  for (const { of, remaining, limit, resetMs, toldAt } of rates) {
    if (now - toldAt >= (resetMs ?? UNTOLD_RESET_MS)) continue
    // Each call takes one request; how many tokens it takes is not known before its answer.
    const present = of.includes('token') ? remaining : Math.max(0, remaining - begunSince)
    least = Math.min(least, limit === null || limit <= 0 ? Math.min(present, 1) : present / limit)
  }
  return least
}

/** When the rate that is used up is whole again; null where none is, or none says it. */
function resetOf({ rates }: KeyState, now: number): number | null {
  const waits = rates
    .filter(({ remaining, resetMs }) => remaining < 1 && resetMs !== null)
    .map(({ resetMs, toldAt }) => Math.max(0, toldAt + (resetMs ?? 0) - now))
  return waits.length === 0 ? null : Math.max(...waits)
}
