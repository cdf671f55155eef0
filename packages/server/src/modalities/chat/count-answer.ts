/** What of one whole answer is counted for its charge. */
import type { Counted } from '../../pipeline/believed-usage.ts'
import { type AskCost, withLateCost } from '../../pipeline/late-cost.ts'
import type { Paid } from '../../pipeline/paid-work.ts'
import type { ChatTarget } from '../../pipeline/routing/target.ts'
import type { UpstreamCompletion } from '../../upstreams/chat-upstream.ts'
import type { ChatPlan } from './chat-plan.ts'
import { emptinessFailure, explainsEmptiness } from './empty-answer.ts'
import type { ChatCall } from './parse-chat.ts'

/** One chat that has its answer. */
export interface AnsweredChat {
  readonly call: ChatCall
  readonly plan: ChatPlan
  readonly answer: UpstreamCompletion
}

/** An answer with the cost that was learnt late, and what was counted here. */
export interface CountedAnswer {
  readonly completed: UpstreamCompletion
  readonly counted: Counted
}

/** @throws {UpstreamFailure} for an answer without content that nothing explains. */
export async function countAnswer(
  askCost: AskCost,
  { target, model }: Paid<ChatTarget>,
  { call, plan, answer }: AnsweredChat,
): Promise<CountedAnswer> {
  const isEmpty = answer.empty || (!call.carriesMedia && answer.outputBytes === 0)
  if (isEmpty && !explainsEmptiness(answer, call)) throw emptinessFailure(target.upstream.name, answer.finishReasons)
  const { promptTokens, limit, choices } = plan
  const { outputBytes, outputBytesAtUsage, hasReasoning: showsReasoning, media } = answer
  const { contextLength } = model
  const counted = {
    ...{ promptTokens, limit, choices, outputBytes, showsReasoning, contextLength },
    ...{ laterBytes: outputBytes - outputBytesAtUsage, isWhole: true },
    ...(media === undefined ? {} : { media }),
  }
  return { completed: await withLateCost(askCost, answer, counted), counted }
}
