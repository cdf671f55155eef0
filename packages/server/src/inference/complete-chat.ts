/** One chat request that is answered whole. */
import type { Nanocredits } from '@svc/contract'
import type { UpstreamCompletion } from '../upstream/chat-upstream.ts'
import { attemptTargets } from '../routing/attempt-targets.ts'
import { countedCost, decideCharge, type DecidedCharge, settlementOf } from './chat-charge.ts'
import { emptinessFailure, explainsEmptiness } from './empty-answer.ts'
import { withLateCost } from './late-cost.ts'
import type { ChatCall } from './parse-chat.ts'
import { type ChatDeps, type ChatTask, createdOf, prepareChat, type PreparedChat, servedBy } from './prepare-chat.ts'
import { renderSvc, renderUsage } from './render-charge.ts'
import { settleFailed } from './settle-failed.ts'

export interface CompletedChat {
  /** The body, as JSON text. */
  readonly json: string
  readonly charge: Nanocredits
}

function render(
  prepared: PreparedChat,
  call: ChatCall,
  answer: UpstreamCompletion,
  charged: { readonly decided: DecidedCharge; readonly charge: Nanocredits },
): string {
  const { object, created, choices, ...rest } = answer.completion
  const body = JSON.stringify({
    id: `chatcmpl-${prepared.hold.id}`,
    object,
    created: created ?? createdOf(prepared),
    model: call.request.model,
    choices,
    usage: renderUsage(answer.wire, charged.decided, charged.charge),
    ...rest,
  })
  const svc = renderSvc(charged.charge, charged.decided.estimated, prepared.maxTokensApplied)
  return `${body.slice(0, -1)},"svc":${svc}}`
}

function complete(deps: ChatDeps, prepared: PreparedChat): Promise<UpstreamCompletion> {
  const { signal } = prepared.hold.ended
  return attemptTargets(deps, prepared, {
    run: ({ upstream, upstreamModel }) =>
      upstream.complete({
        body: prepared.body,
        upstreamModel,
        stream: false,
        maxTokens: prepared.maxTokens,
        outputTokens: prepared.outputTokens,
        confidential: prepared.model.confidential,
        signal,
      }),
    reportsOf: (completion) => [completion],
    costOf: countedCost,
    failureOf: () => null,
    isEnded: () => signal.aborted,
    mayRepeat: () => !signal.aborted,
  })
}

async function answerAndSettle(deps: ChatDeps, prepared: PreparedChat, call: ChatCall): Promise<CompletedChat> {
  const { hold } = prepared
  const completed = await complete(deps, prepared)
  if (completed.empty && !explainsEmptiness(completed, call)) {
    throw emptinessFailure(prepared.target.upstream.name, completed.finishReasons)
  }
  const answer = await withLateCost(deps, prepared.target.upstream, completed)
  const { promptTokens, limit } = prepared
  const counted = { promptTokens, outputBytes: answer.outputBytes, limit, laterBytes: 0 }
  const decided = decideCharge(prepared.target.price, answer, counted)
  const wanted = decided.charge.charge
  // Written before the settlement, so that an answer which cannot be written is never charged.
  const json = render(prepared, call, answer, { decided, charge: wanted })
  hold.bill.deliver(completed)
  const charge = await hold.settle(settlementOf(decided, servedBy(prepared, answer), 'ok'))
  return { json: charge === wanted ? json : render(prepared, call, answer, { decided, charge }), charge }
}

/**
 * Answers one chat request and charges it. The charge is durable before the answer is returned.
 *
 * The upstream's work runs to its end even when the caller has gone: it was made for them, and is charged.
 * Source: spec 2.2, 2.8 and billing rules 2 and 5; decision 0008 (order at the end of a request).
 *
 * @throws {ServiceError} for everything that fails; the request is then free.
 */
export async function completeChat(deps: ChatDeps, task: ChatTask): Promise<CompletedChat> {
  const prepared = await prepareChat(deps, task)
  try {
    return await answerAndSettle(deps, prepared, task.call)
  } catch (error) {
    await settleFailed(deps, prepared, error)
    throw error
  }
}
