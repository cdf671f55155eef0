/**
 * What a stream that is over costs and how it ends for the client. Pure, so that the whole table can be read and
 * tested.
 */
import type { ErrorCode } from '@svc/contract'
import { codeOf } from '../../platform/errors/code-of.ts'
import type { ChatStreamOutcome } from '../../upstreams/chat-upstream.ts'

/** Why the gateway itself ended a stream. */
export type Interruption =
  | 'client_gone'
  /** The key was revoked, the account suspended, or the gateway stops. */
  | 'ended'
  | 'out_of_credits'

export interface StreamFacts {
  readonly outcome: ChatStreamOutcome
  readonly interruption: Interruption | null
  /** What the caller reads about the interruption; null when nothing is. */
  readonly interruptionError: Error | null
  /** Something that a caller would miss was delivered: text, refusal, tool call, audio, image. */
  readonly hasContent: boolean
  readonly hasReasoning: boolean
  /** An empty answer that the client itself asked for. */
  readonly emptinessExplained: boolean
}

export type StreamVerdict =
  /** Delivered whole, or as far as the credits reached. */
  | {
      readonly kind: 'charge'
      readonly status: 'ok' | 'incomplete' | 'cancelled'
      readonly errorCode: ErrorCode | null
    }
  /** Free; a cost that the upstream reports all the same is our loss. */
  | { readonly kind: 'free'; readonly errorCode: ErrorCode }

/**
 * Decides. The table, in order:
 *
 * - ended by the gateway before anything was delivered: nothing, since the caller gets an error in its place;
 * - ended by the gateway or the caller: what the upstream reports for the request, else what was delivered;
 * - the upstream said that it failed: what it says it billed, else nothing;
 * - the connection broke without a verdict: what was delivered, else nothing;
 * - a clean end without content that nothing explains: nothing;
 * - a clean end: its usage, else what was delivered.
 *
 * Source: decision 0008 (client gone, upstream gone, no content).
 */
export function judgeStream(facts: StreamFacts): StreamVerdict {
  const { outcome, interruption } = facts
  const delivered = facts.hasContent || facts.hasReasoning
  if (interruption === 'ended') {
    const errorCode = codeOf(facts.interruptionError)
    return delivered ? { kind: 'charge', status: 'incomplete', errorCode } : { kind: 'free', errorCode }
  }
  if (interruption !== null) {
    const status = interruption === 'out_of_credits' ? 'ok' : 'cancelled'
    return { kind: 'charge', status, errorCode: null }
  }
  if (outcome.error !== null && !outcome.cut) {
    const billed = delivered && outcome.cost !== null && outcome.cost > 0n
    const errorCode = codeOf(outcome.error)
    return billed ? { kind: 'charge', status: 'incomplete', errorCode } : { kind: 'free', errorCode }
  }
  if (outcome.error !== null) {
    const errorCode = codeOf(outcome.error)
    return delivered ? { kind: 'charge', status: 'incomplete', errorCode } : { kind: 'free', errorCode }
  }
  if (!delivered && !facts.emptinessExplained) return { kind: 'free', errorCode: 'upstream_empty' }
  return { kind: 'charge', status: 'ok', errorCode: null }
}
