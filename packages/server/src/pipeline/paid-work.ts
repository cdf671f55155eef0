/**
 * What one kind of paid request adds to the pipeline. Everything that holds for all of them (admission, hold, attempts,
 * costs that are learnt late, settlement, failures that are free) is `runPaid`'s.
 */
import type { ErrorCode, UsageType } from '@svc/contract'
import type { BillingDeps, HoldRequest, OpenHold } from '../money/billing/open-hold.ts'
import type { Charged } from '../money/billing/settlement.ts'
import type { UsageFacts } from '../money/ledger/operations.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Model } from '../catalog/model.ts'
import type { AudioLength } from '../platform/audio/audio-length.ts'
import type { AudioBytes } from '../platform/audio/measure-duration.ts'
import type { Caller } from '../access/keys/caller.ts'
import type { Charge } from '../pricing/price.ts'
import type { AttemptDeps, Attempts } from './routing/attempt-targets.ts'
import type { SelectTarget, TargetDeps } from './routing/list-targets.ts'
import type { Target } from './routing/target.ts'
import type { AskCost, LateCostDeps } from './late-cost.ts'
import type { Terms } from './terms.ts'

export interface PaidDeps extends BillingDeps, LateCostDeps, TargetDeps, AttemptDeps {
  readonly catalog: Catalog
}

/** The same of kinds whose bound is sharpened by a count. */
export interface CountingDeps extends PaidDeps {
  /** Counts tokens away from this thread. Rejects when the text is too long or the counter too busy. */
  readonly countTokens: (text: string) => Promise<number>
}

/** What kinds that are given audio need. */
export interface ListeningDeps {
  /** Measures how long an audio file lasts, away from this thread. */
  readonly measureAudio: (audio: { readonly bytes: AudioBytes; readonly byteLength: number }) => Promise<AudioLength>
}

/** One paid request of one caller. */
export interface PaidTask<Call> {
  readonly caller: Caller
  readonly call: Call
  /** UUIDv7; also the id of the hold and of the usage record. */
  readonly requestId: string
  /**
   * Writes a whole answer down before it is charged, so that it survives this process; absent: nothing does. The request
   * is free where it throws.
   */
  readonly keep?: ((answer: WholeAnswer) => Promise<void>) | undefined
  /** What the caller has agreed to pay; null for what the request costs. */
  readonly terms: Terms | null
  /** How much of the rate card is charged, in percent; absent: all of it. */
  readonly cardPercent?: number | undefined
}

/** A model and the upstreams that may serve it, before anything is held. */
export interface FoundModel<To extends Target> {
  readonly model: Model
  readonly targets: readonly [To, ...To[]]
}

/** A paid request whose credits are held. */
export interface Paid<To extends Target> extends FoundModel<To> {
  /** Who serves it: the first target, until an attempt is repeated elsewhere. */
  target: To
  readonly hold: OpenHold
  /** The upstream's own id of an answer that failed, where its bill has none. */
  generationId: string | null
}

/** The most that a request can come to cost. */
export interface Bound extends Pick<HoldRequest, 'fixed' | 'perUnit' | 'units' | 'policy' | 'firstUnits'> {
  /** Set where an answer of fewer units than the request asks for is an answer all the same: it is cut there. */
  readonly isDivisible?: true
}

/** Token counts of a usage record; absent where nothing was counted. */
export type CountedTokens = Partial<
  Pick<UsageFacts, 'promptTokens' | 'completionTokens' | 'cachedTokens' | 'reasoningTokens'>
>

/** What a request is charged for what was delivered. */
export interface Priced<Reply> {
  readonly charge: Charge
  /** Whether quantities are our own. */
  readonly estimated: boolean
  /** Whether the caller got it all, or it was ended from our side. */
  readonly status: 'ok' | 'incomplete' | 'cancelled'
  /** Why the answer broke off after a part that is charged; null for a whole answer. */
  readonly errorCode: ErrorCode | null
  /** What the caller gets in place of the end, once the part is charged; null for a whole answer. */
  readonly failure: Error | null
  readonly tokens: CountedTokens
  /** The upstream's own id of what was made; null where it gave none. */
  readonly generationId: string | null
  /**
   * Writes what is sent last, with what was really charged. It is written before the settlement, too: an answer that
   * cannot be written is free.
   */
  render(charged: Charged): Reply
}

/** Where an answer goes. Whole answers and streams differ by it alone. */
export interface Sink<Reply, End> {
  /** Whether the caller has got the beginning of an answer, so that a failure has to be reported in it. */
  readonly isOpen: boolean
  /** Whether nothing was delivered and the client still waits, so that another upstream can begin anew. */
  readonly mayBeginAnew: boolean
  /** Writes the answer down before it is charged. @throws {Error} why the request is free. */
  keep?(reply: Reply): Promise<void>
  /** Learns what the request was charged, once that is durable; also when the caller has gone. */
  charged(charged: Charged): void
  /** Sends what is left. */
  finish(reply: Reply): End
  /**
   * Tells the caller that the answer failed.
   *
   * @param isSettled whether a charge is durable.
   * @throws the error itself while nothing was sent: then it can still be an ordinary answer.
   */
  fail(error: unknown, isSettled: boolean): End
}

/**
 * How upstreams are asked for one request once its credits are held, and where the answer goes. Who asks or prices
 * throws `CancelledBeforeOutput` where the caller left before anything was made.
 */
export interface PaidAttempts<To extends Target, Answer, Reply, End> extends Attempts<To, Answer> {
  readonly sink: Sink<Reply, End>
  /** Another error for the caller than the one that the request failed with; absent: the same. */
  explain?(error: unknown): unknown
}

/** The work on a request that is charged by its own answer. */
export interface PaidRun<To extends Target, Answer, Reply, End> extends PaidAttempts<To, Answer, Reply, End> {
  /**
   * Prices what came, and notes in the hold's bill what of it was delivered.
   *
   * @param askCost for what a report does not say: costs are reported late.
   * @throws {Error} why the request is free.
   */
  price(answer: NoInfer<Answer>, askCost: AskCost): Promise<Priced<Reply>>
}

/** The work on a request that begins a job: what it costs is known, and charged, once the job has ended. */
export interface JobRun<To extends Target, Answer, Reply, End> extends PaidAttempts<To, Answer, Reply, End> {
  /**
   * Gives the hold to the job that the upstream has begun.
   *
   * @throws {ServiceError} where the job cannot be kept; the request is then free.
   */
  handOver(answer: NoInfer<Answer>): Promise<Reply>
}

/** One kind of paid request, before its credits are held. */
export interface PaidWork<To extends Target, Answer, Reply, End> {
  readonly type: UsageType
  /** As the caller names it. */
  readonly model: string
  readonly stream: boolean
  /** Whether anything leaves before the settlement, so that the hold must be durable before the work. */
  readonly sendsBeforeSettlement: boolean
  /** @throws {ServiceError} 404, 403, 400. */
  findModel(): Model
  /** What an offering of the model is to the request. */
  selectTarget(model: Model): SelectTarget<To>
  /** @throws {ServiceError} 400 for what cannot be bounded. */
  bound(found: FoundModel<To>): Bound | Promise<Bound>
  /** A sharper bound by a real count, asked for where the first does not fit; null where there is none. */
  sharperBound?(found: FoundModel<To>): Promise<Bound | null>
  /** @throws {ServiceError} what turns out only with what is held; the request is free then. */
  begin(paid: Paid<To>): PaidRun<To, Answer, Reply, End> | JobRun<To, Answer, Reply, End>
}

/**
 * The sink of an answer that is made whole: nothing leaves before its end, and it is made to its end.
 *
 * @param keep writes it down before it is charged; absent: nothing does.
 */
export function wholeAnswer<Reply>(keep?: (reply: Reply) => Promise<void>): Sink<Reply, Reply> {
  return {
    ...(keep === undefined ? {} : { keep }),
    isOpen: false,
    mayBeginAnew: true,
    charged: () => undefined,
    finish: (reply) => reply,
    fail: (error) => {
      throw error
    },
  }
}

/** An answer that was made whole, and what it cost. */
export interface WholeAnswer {
  /** The body as text. */
  readonly body: string
  readonly charged: Charged
}
