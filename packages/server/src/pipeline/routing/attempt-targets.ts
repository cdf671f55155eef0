/**
 * The attempts of one request: at the first target, and at others or once more where an attempt failed and nothing
 * can have been billed for it.
 */
import type { Bill } from '../../upstreams/bill.ts'
import type { AttoUsd } from '../../pricing/price.ts'
import { billOf, type UpstreamBill, UpstreamFailure } from '../../upstreams/upstream-failure.ts'
import { codeOf } from '../../platform/errors/code-of.ts'
import { isAboutKey } from '../../upstreams/key-ring.ts'
import { circuitsOpen } from './list-targets.ts'
import type { Target } from './target.ts'

/** Why an attempt was repeated: at another upstream, or at the same. */
export type RepeatReason = 'fallback' | 'retry'

export interface AttemptDeps {
  /** Waits so many milliseconds; passed in so that tests need not. */
  readonly pause: (milliseconds: number) => Promise<void>
  /** Called with each attempt that is repeated. It must not throw. */
  readonly onRepeat?: ((repeat: Repeat) => void) | undefined
  /**
   * Called once the attempts of a request are over, with what its usage record will not say of them: all of them where
   * there were several, one failed, or several generations were made. It must not throw.
   */
  readonly onAttempts?: ((requestId: string, attempts: readonly MadeAttemptNote[]) => void) | undefined
}

/** An attempt, or one of several generations that it has made. */
export interface MadeAttemptNote {
  readonly upstream: string
  readonly upstreamModel: string
  /** The kind of the failure, or its code; null where it went well. */
  readonly failure: string | null
  readonly generationId: string | null
  /** As far as it is known by then. */
  readonly cost: AttoUsd | null
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
  readonly hold: AttemptedHold
}

/** A hold as far as attempts concern it. */
interface AttemptedHold {
  readonly id: string
  readonly bill: Pick<Bill, 'note'>
  readonly ended: AbortController
  /** Writes down that what was begun has failed and is free. */
  noteFailure(): Promise<void>
}

/** How upstreams are asked for one request, and what their answers say of themselves. */
export interface Attempts<To extends Target, Answer> {
  /** Whether nothing was delivered and the client still waits, so that another upstream can begin anew. */
  readonly sink: { readonly mayBeginAnew: boolean }
  /** One attempt at one upstream. */
  ask(target: To): Promise<Answer>
  /** What the upstream says that an answer cost: one report for each call. */
  reportsOf(answer: Answer): readonly UpstreamBill[]
  /** What a report that names no cost makes of one; absent: nothing. */
  costOf?(target: NoInfer<To>, report: UpstreamBill): AttoUsd | null
  /** How an attempt failed that has an answer all the same; absent: it did not. */
  failureOf?(answer: NoInfer<Answer>): Error | null
  /** How each call of an attempt ended that makes several, null for an answer; absent where it makes one. */
  callsOf?(answer: NoInfer<Answer>): readonly (Error | null)[]
  /**
   * Whether the request was ended from our side: then no attempt follows, and the last says nothing of its upstream.
   * Absent: where its hold was.
   */
  isEnded?(): boolean
}

/** The longest that an upstream's own request to wait is obeyed in place, in milliseconds. Source: decision 0033. */
const WAIT_HERE_MAX_MS = 2_000
/** The wait before a connection is tried anew, in milliseconds. Source: own choice. */
const RECONNECT_MS = 100

/** How long to wait before the same upstream is asked once more; null when it shall not be. */
function waitHere({ upstream }: Target, failure: UpstreamFailure): number | null {
  const { kind, waitMs } = failure
  // A key that was refused within an answer rests by now, and another one is asked.
  if (isAboutKey(failure) && upstream.keys?.hasSpare() === true) return 0
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
    const waitMs = waitHere(target, failure)
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

/** An attempt that was made. */
interface MadeAttempt<Answer> {
  /** Null where it threw. */
  readonly answer: { readonly value: Answer } | null
  /** Null when it went well. */
  readonly failure: unknown
  /** Whether the upstream says that it costs something. A failure that names a cost says itself that it is final. */
  readonly isBilled: boolean
  /** What it says of itself: one for each call, none where it never came to one. */
  readonly reports: readonly UpstreamBill[]
}

function isEnded<To extends Target>({ hold }: Attempted<To>, attempts: Attempts<To, unknown>): boolean {
  return attempts.isEnded?.() ?? hold.ended.signal.aborted
}

async function make<To extends Target, Answer>(
  attempted: Attempted<To>,
  attempts: Attempts<To, Answer>,
): Promise<MadeAttempt<Answer>> {
  const { target } = attempted
  const { upstream, upstreamModel } = target
  const { circuits } = upstream
  if (!circuits.admit(upstreamModel))
    return { answer: null, failure: circuitsOpen([target]), isBilled: false, reports: [] }
  let value: Answer
  try {
    value = await attempts.ask(target)
  } catch (error) {
    const report = billOf(error)
    if (report !== null) note(attempted, attempts, report)
    tellCircuits(attempted, attempts, error, null)
    return { answer: null, failure: error, isBilled: false, reports: report === null ? [] : [report] }
  }
  let isBilled = false
  const reports = attempts.reportsOf(value)
  for (const report of reports) {
    note(attempted, attempts, report)
    isBilled ||= report.cost !== null && report.cost > 0n
  }
  const failure = attempts.failureOf?.(value) ?? null
  tellCircuits(attempted, attempts, failure, attempts.callsOf?.(value) ?? null)
  return { answer: { value }, failure, isBilled, reports }
}

function note<To extends Target>(
  { target, hold }: Attempted<To>,
  attempts: Attempts<To, unknown>,
  report: UpstreamBill,
): void {
  hold.bill.note(report, target.upstream, report.cost ?? attempts.costOf?.(target, report) ?? null)
}

/** @param calls how each call of the attempt ended; null where it made one. */
function tellCircuits<To extends Target>(
  attempted: Attempted<To>,
  attempts: Attempts<To, unknown>,
  failure: unknown,
  calls: readonly unknown[] | null,
): void {
  const { upstream, upstreamModel } = attempted.target
  if (failure !== null && isEnded(attempted, attempts)) return upstream.circuits.release(upstreamModel)
  if (calls === null) return upstream.circuits.note(upstreamModel, failure)
  for (const ended of calls) upstream.circuits.note(upstreamModel, ended)
}

/**
 * Runs a request at its targets. What can have been billed is never repeated, and nothing is once the caller has got
 * something. `attempted.target` says who serves.
 *
 * @returns the answer of the last attempt.
 * @throws what the last attempt threw.
 *
 * Source: decisions 0033 (what may be repeated) and 0058 (targets of media).
 */
export async function attemptTargets<To extends Target, Answer>(
  deps: AttemptDeps,
  attempted: Attempted<To>,
  attempts: Attempts<To, Answer>,
): Promise<Answer> {
  const mayRepeat = (): boolean => !isEnded(attempted, attempts) && attempts.sink.mayBeginAnew
  let nexts: NextAttempts<To> | null = null
  let hasRetried = false
  let before: readonly MadeAttemptNote[] = []
  const end = (made: MadeAttempt<Answer>): Answer => finish(deps, attempted, made, before)
  for (;;) {
    const { target } = attempted
    const made = await make(attempted, attempts)
    const { failure } = made
    const isRepeatable = !made.isBilled && failure instanceof UpstreamFailure && failure.isRepeatable
    if (!isRepeatable || hasRetried || !mayRepeat()) return end(made)
    nexts ??= new NextAttempts(attempted.targets)
    const next = nexts.after(target, failure) ?? nexts.again()
    if (next === null) return end(made)
    hasRetried = next.reason === 'retry'
    await attempted.hold.noteFailure()
    if (next.waitMs > 0) await deps.pause(next.waitMs)
    if (!mayRepeat()) return end(made)
    before = [...before, ...notesOf(target, made)]
    const to = next.target.upstream.name
    const { id: requestId } = attempted.hold
    deps.onRepeat?.({ requestId, reason: next.reason, from: target.upstream.name, to, failure: failure.kind })
    attempted.target = next.target
  }
}

/** @throws what the attempt threw. */
function finish<Answer>(
  deps: Pick<AttemptDeps, 'onAttempts'>,
  { target, hold }: Attempted<Target>,
  made: MadeAttempt<Answer>,
  before: readonly MadeAttemptNote[],
): Answer {
  const isOrdinary = before.length === 0 && made.failure === null && made.reports.length <= 1
  if (!isOrdinary) deps.onAttempts?.(hold.id, [...before, ...notesOf(target, made)])
  if (made.answer === null) throw made.failure
  return made.answer.value
}

function notesOf({ upstream, upstreamModel }: Target, { failure, reports }: MadeAttempt<unknown>): MadeAttemptNote[] {
  const common = { upstream: upstream.name, upstreamModel, failure: failure === null ? null : failureName(failure) }
  if (reports.length === 0) return [{ ...common, generationId: null, cost: null }]
  return reports.map(({ generationId, cost }) => ({ ...common, generationId, cost }))
}

function failureName(failure: unknown): string {
  return failure instanceof UpstreamFailure ? failure.kind : codeOf(failure)
}
