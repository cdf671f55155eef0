/** Who watches the calls to an upstream, and what they see of each. */
import type { UpstreamOperation } from '../telemetry/metrics/upstream-operations.ts'
import type { ChatUsage } from '../pricing/price.ts'
import type { ImageUsage } from './image-upstream.ts'

/** A call as an observer sees it before it is made. */
export interface UpstreamCall {
  readonly operation: UpstreamOperation
  /** The upstream's id of the model; absent where the call is for none. */
  readonly model?: string
  /** The upstream's id of a video's job; absent where the call is for none. */
  readonly job?: string
  /** Whether the answer is asked for in pieces. */
  readonly isStream: boolean
  /** The name of the key that makes it, where the upstream has several. */
  readonly key?: string
}

/** What an answer reports about itself. */
export interface AnswerFacts {
  readonly generationId?: string | null
  readonly model?: string | null
  readonly usage?: ChatUsage | ImageUsage | null
  readonly finishReasons?: readonly string[]
}

export interface CallEnd {
  /** Null for an answer, and for a stream that ended cleanly. */
  readonly error: unknown
  /** Null where no answer came, and for an operation whose answer says nothing of itself. */
  readonly answer: AnswerFacts | null
  /** Whether we ended the call ourselves, by `stop` or by the signal of its request. */
  readonly isStopped: boolean
}

/** Watches one call. */
export interface CallObserver {
  /** W3C `traceparent` for the upstream; absent tells it nothing. */
  readonly traceparent?: string | undefined
  /** The answer is there, or its stream has begun. */
  answered?(): void
  /** The stream of a chat has brought its first text, reasoning, tool call, audio or image. */
  firstContent?(): void
  /** The call is over, a stream at its end. Called exactly once. */
  ended?(end: CallEnd): void
}

/** Is asked before each call, in the flow of the request that makes it. Null: this call is not watched. */
export type UpstreamObserver = (call: UpstreamCall) => CallObserver | null
