/** One chat request that is answered whole. */
import type { Charged } from '../../money/billing/settlement.ts'
import type { UpstreamCompletion } from '../../upstreams/chat-upstream.ts'
import type { AskCost } from '../../pipeline/late-cost.ts'
import { type Paid, type Priced, wholeAnswer, type WholeAnswer } from '../../pipeline/paid-work.ts'
import { runPaid } from '../../pipeline/run-paid.ts'
import type { ChatTarget } from '../../pipeline/routing/target.ts'
import { countedCost, decideCharge, type DecidedCharge, tokensOf } from '../../pipeline/token-charge.ts'
import type { ChatPlan } from './chat-plan.ts'
import { type ChatDeps, chatRequest, type ChatTask, chatWork, createdOf } from './chat-work.ts'
import { countAnswer } from './count-answer.ts'
import { renderSvc } from '../../pipeline/render-charge.ts'
import { renderUsage } from './render-usage.ts'

interface ChatAnswer {
  readonly completed: UpstreamCompletion
  readonly decided: DecidedCharge
  readonly maxTokensApplied: number | null
}

function render(
  { hold }: Paid<ChatTarget>,
  { call }: ChatTask,
  { completed, decided, maxTokensApplied }: ChatAnswer,
  charged: Charged,
): WholeAnswer {
  const { object, created, choices, ...rest } = completed.completion
  const body = JSON.stringify({
    id: `chatcmpl-${hold.id}`,
    object,
    created: created ?? createdOf(hold),
    model: call.request.model,
    choices,
    usage: renderUsage(completed.wire, decided, charged.charge),
    ...rest,
  })
  const svc = renderSvc(charged, decided.estimated, maxTokensApplied)
  return { body: `${body.slice(0, -1)},"svc":${svc}}`, charged }
}

/** @throws {UpstreamFailure} for an answer without content that nothing explains. */
async function price(
  askCost: AskCost,
  paid: Paid<ChatTarget>,
  task: ChatTask,
  { plan, answer }: { readonly plan: ChatPlan; readonly answer: UpstreamCompletion },
): Promise<Priced<WholeAnswer>> {
  const { maxTokensApplied } = plan
  const { completed, counted } = await countAnswer(askCost, paid, { call: task.call, plan, answer })
  const decided = decideCharge(paid.target.price, completed, counted)
  paid.hold.bill.deliver(answer)
  return {
    charge: decided.charge,
    estimated: decided.estimated,
    status: 'ok',
    errorCode: null,
    failure: null,
    tokens: tokensOf(decided),
    generationId: answer.generationId,
    render: (charged) => render(paid, task, { completed, decided, maxTokensApplied }, charged),
  }
}

/**
 * Answers one chat request and charges it. The charge is durable before the answer is returned.
 *
 * The upstream's work runs to its end even when the caller has gone: it was made for them, and is charged.
 * Source: spec 2.2, 2.8 and billing rules 2 and 5; decision 0008 (order at the end of a request).
 *
 * @throws {ServiceError} for everything that fails; the request is then free.
 */
export function completeChat(deps: ChatDeps, task: ChatTask): Promise<WholeAnswer> {
  const work = chatWork<UpstreamCompletion, WholeAnswer, WholeAnswer>(deps, task, (paid, plan) => {
    const { signal } = paid.hold.ended
    return {
      sink: wholeAnswer(task.keep),
      ask: (target) => target.upstream.complete(chatRequest(paid, plan, target, { stream: false, signal })),
      reportsOf: (answer) => [answer],
      costOf: countedCost,
      price: (answer, askCost) => price(askCost, paid, task, { plan, answer }),
    }
  })
  return runPaid(deps, task, work)
}
