/**
 * Whether a stream that is over is charged, and how its record says that it ended. Pure, so that the whole table can be
 * read and tested. What is charged is decided by `price` in `stream-chat.ts`.
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
  /** Free, since it failed; a cost that the upstream reports all the same is our loss. */
  | { readonly kind: 'free' }

const FREE: StreamVerdict = { kind: 'free' }

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
    return delivered ? brokenOff(facts.interruptionError) : FREE
  }
  if (interruption !== null) {
    const status = interruption === 'out_of_credits' ? 'ok' : 'cancelled'
    return { kind: 'charge', status, errorCode: null }
  }
  if (outcome.error !== null) {
    const isBilled = outcome.cut || (outcome.cost !== null && outcome.cost > 0n)
    return delivered && isBilled ? brokenOff(outcome.error) : FREE
  }
  if (!delivered && !facts.emptinessExplained) return FREE
  return { kind: 'charge', status: 'ok', errorCode: null }
}

function brokenOff(error: Error | null): StreamVerdict {
  return { kind: 'charge', status: 'incomplete', errorCode: codeOf(error) }
}
