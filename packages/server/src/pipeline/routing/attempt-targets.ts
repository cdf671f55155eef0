/**
 * The attempts of one request: at the first target, and at others or once more where an attempt failed and nothing
 * can have been billed for it.
 */
import type { Bill } from '../../upstreams/bill.ts'
import type { AttoUsd } from '../../pricing/price.ts'
import { billOf, type UpstreamBill, UpstreamFailure } from '../../upstreams/upstream-failure.ts'
import { circuitsOpen } from './list-targets.ts'
import type { Target } from './target.ts'

/** Why an attempt was repeated: at another upstream, or at the same. */
export type RepeatReason = 'fallback' | 'retry'

export interface AttemptDeps {
  /** Waits so many milliseconds; passed in so that tests need not. */
  readonly pause: (milliseconds: number) => Promise<void>
  /** Called with each attempt that is repeated. It must not throw. */
  readonly onRepeat?: ((repeat: Repeat) => void) | undefined
}

export interface Repeat {
  readonly requestId: string
  readonly reason: RepeatReason
  readonly from: string
  readonly to: string
  readonly failure: string
}

/** A request as far as its attempts concern it. */
export interface Attempted<To extends Target> {
  /** Where it may be served, in order; the first is asked first. */
  readonly targets: readonly To[]
  /** Who serves it. */
  target: To
  readonly hold: { readonly id: string; readonly bill: Pick<Bill, 'note'> }
}

/** One attempt, and what it says about itself. */
export interface Attempt<To extends Target, Result> {
  run(target: To): Promise<Result>
  /** What the upstream says that a result cost: one report for each call. */
  reportsOf(result: Result): readonly UpstreamBill[]
  /** What a report that names no cost makes of one; absent: nothing. */
  costOf?(target: NoInfer<To>, report: UpstreamBill): AttoUsd | null
  /** How an attempt failed that has a result all the same; null when it did not. */
  failureOf(result: Result): Error | null
  /** How each call of an attempt ended that makes several, null for an answer; absent where it makes one. */
  callsOf?: ((result: Result) => readonly (Error | null)[]) | undefined
  /**
   * Whether the request was ended from our side: then no attempt follows, and the last says nothing of its upstream.
   */
  isEnded(): boolean
  /** Whether the request is wanted still and the caller has got nothing yet, so that another attempt can begin anew. */
  mayRepeat(): boolean
}

/** The longest that an upstream's own request to wait is obeyed in place, in milliseconds. Source: decision 0033. */
const WAIT_HERE_MAX_MS = 2_000
/** The wait before a connection is tried anew, in milliseconds. Source: own choice. */
const RECONNECT_MS = 100

/** How long to wait before the same upstream is asked once more; null when it shall not be. */
function waitHere({ kind, waitMs }: UpstreamFailure): number | null {
  if (kind === 'unreachable') return RECONNECT_MS
  const isAsked = (kind === 'rate_limited' || kind === 'overloaded') && waitMs !== null
  return isAsked && waitMs <= WAIT_HERE_MAX_MS ? waitMs : null
}

interface NextAttempt<To extends Target> {
  readonly target: To
  readonly waitMs: number
  readonly reason: RepeatReason
}

/** The targets that are left: each is asked once, and the one that asks to come back soonest once more. */
class NextAttempts<To extends Target> {
  readonly #left: To[]
  #here: NextAttempt<To> | null = null

  constructor(targets: readonly To[]) {
    this.#left = targets.slice(1)
  }

  after(target: To, failure: UpstreamFailure): NextAttempt<To> | null {
    const waitMs = waitHere(failure)
    if (waitMs !== null && (this.#here === null || waitMs < this.#here.waitMs)) {
      this.#here = { target, waitMs, reason: 'retry' }
    }
    const elsewhere = this.#left.shift()
    return elsewhere === undefined ? null : { target: elsewhere, waitMs: 0, reason: 'fallback' }
  }

  /** Once, after every target has failed. */
  again(): NextAttempt<To> | null {
    const here = this.#here
    this.#here = null
    return here
  }
}

interface MadeAttempt<Result> {
  /** Null when it went well. */
  readonly failure: unknown
  /** How each of its calls ended. */
  readonly calls: readonly unknown[]
  /** Whether the upstream says that it costs something. */
  readonly isBilled: boolean
  /** @throws what the attempt threw. */
  finish(): Result
}

function thrown(error: unknown): MadeAttempt<never> {
  return {
    failure: error,
    calls: [error],
    // A failure that names a cost says itself that it is not to be repeated.
    isBilled: false,
    finish: () => {
      throw error
    },
  }
}

async function make<To extends Target, Result>(
  attempt: Attempt<To, Result>,
  target: To,
  { bill }: Attempted<To>['hold'],
): Promise<MadeAttempt<Result>> {
  const { upstream, upstreamModel } = target
  const { circuits } = upstream
  if (!circuits.admit(upstreamModel)) return thrown(circuitsOpen([target]))
  const note = (report: UpstreamBill): void =>
    bill.note(report, upstream, report.cost ?? attempt.costOf?.(target, report) ?? null)
  let made: MadeAttempt<Result>
  try {
    const result = await attempt.run(target)
    const reports = attempt.reportsOf(result)
    reports.forEach(note)
    const failure = attempt.failureOf(result)
    const isBilled = reports.some(({ cost }) => cost !== null && cost > 0n)
    made = { failure, calls: attempt.callsOf?.(result) ?? [failure], isBilled, finish: () => result }
  } catch (error) {
    const report = billOf(error)
    if (report !== null) note(report)
    made = thrown(error)
  }
  if (made.failure !== null && attempt.isEnded()) circuits.release(upstreamModel)
  else for (const ended of made.calls) circuits.note(upstreamModel, ended)
  return made
}

/**
 * Runs a request at its targets. What can have been billed is never repeated, and nothing is once the caller has got
 * something. `prepared.target` says who serves.
 *
 * @returns the result of the last attempt.
 * @throws what the last attempt threw.
 *
 * Source: decisions 0033 (what may be repeated) and 0058 (targets of media).
 */
export async function attemptTargets<To extends Target, Result>(
  deps: AttemptDeps,
  prepared: Attempted<To>,
  attempt: Attempt<To, Result>,
): Promise<Result> {
  let nexts: NextAttempts<To> | null = null
  let hasRetried = false
  for (;;) {
    const { target } = prepared
    const made = await make(attempt, target, prepared.hold)
    const { failure, isBilled } = made
    const isOver = isBilled || !(failure instanceof UpstreamFailure) || !failure.isRepeatable || !attempt.mayRepeat()
    if (isOver || hasRetried) return made.finish()
    nexts ??= new NextAttempts(prepared.targets)
    const next = nexts.after(target, failure) ?? nexts.again()
    if (next === null) return made.finish()
    hasRetried = next.reason === 'retry'
    if (next.waitMs > 0) await deps.pause(next.waitMs)
    if (!attempt.mayRepeat()) return made.finish()
    const to = next.target.upstream.name
    const { id: requestId } = prepared.hold
    deps.onRepeat?.({ requestId, reason: next.reason, from: target.upstream.name, to, failure: failure.kind })
    prepared.target = next.target
  }
}
