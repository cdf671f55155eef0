import type { ReportedUsage } from '../../upstreams/chat-upstream.ts'
import { type UpstreamFailure, upstreamFailure } from '../../upstreams/upstream-failure.ts'
import type { ChatCall } from './parse-chat.ts'

/**
 * Says whether an answer without content is what the client asked for: its own limit or stop made it so, or the model
 * spent its tokens on reasoning, or found nothing missing between a text and its suffix. Such an answer is delivered and charged; any other empty answer is a failure and free.
 * Source: spec 3.5, decision 0008 (no content).
 */
export function explainsEmptiness(
  answer: ReportedUsage & { readonly finishReasons: readonly string[]; readonly hasReasoning: boolean },
  call: ChatCall,
): boolean {
  const { request } = call
  const limited = (request.max_completion_tokens ?? request.max_tokens ?? null) !== null
  const stops = request.stop !== undefined && request.stop !== null && request.stop.length > 0
  return (
    answer.hasReasoning ||
    (answer.usage?.reasoningTokens ?? 0) > 0 ||
    (limited && answer.finishReasons.includes('length')) ||
    (call.completes === 'gap' && answer.finishReasons.includes('stop')) ||
    (stops && answer.finishReasons.includes('stop'))
  )
}

/** The error of an answer without content that nothing explains: that its content was refused, where it says so. */
export function emptinessFailure(upstream: string, finishReasons: readonly string[]): UpstreamFailure {
  return upstreamFailure(finishReasons.includes('content_filter') ? 'content_policy' : 'empty', { upstream })
}
