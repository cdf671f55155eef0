/** One request for moderation. */
import type { AskCost } from '../../pipeline/late-cost.ts'
import {
  type Bound,
  type FoundModel,
  type Paid,
  type PaidDeps,
  type PaidTask,
  type PaidWork,
  type Priced,
  wholeAnswer,
  type WholeAnswer,
} from '../../pipeline/paid-work.ts'
import { renderPromptUsage, renderSvc } from '../../pipeline/render-charge.ts'
import { findPromptModel, pricePrompt, type PromptTarget, promptTarget } from '../../pipeline/prompt-work.ts'
import { runPaid } from '../../pipeline/run-paid.ts'
import type { Offering } from '../../pipeline/routing/list-targets.ts'
import { countedCost } from '../../pipeline/token-charge.ts'
import { estimateUsage, sellsTokens } from '../../pricing/charge-chat.ts'
import { boundEmbedding, boundTexts, estimateTexts } from '../../pricing/embedding-bound.ts'
import { IMAGE_TOKENS } from '../../pricing/prompt-bound.ts'
import type { ModerationUpstream, UpstreamModeration } from '../../upstreams/moderation-upstream.ts'
import type { ModerationCall } from './parse-moderation.ts'

/** One request of one caller. */
export type ModerationTask = PaidTask<ModerationCall>

type ModerationTarget = PromptTarget<ModerationUpstream>

function moderationTarget(offering: Offering): ModerationTarget | null {
  return promptTarget(offering, ({ moderation }) => moderation, 'This model does not moderate.')
}

/** What is held: the bytes of the texts as tokens, and the most that an image has. */
function boundOf({ targets }: FoundModel<ModerationTarget>, { texts, images }: ModerationCall): Bound {
  const prices = targets.map(({ price }) => price)
  const tokens = boundTexts(texts, null) + images * IMAGE_TOKENS
  return { ...boundEmbedding(prices, tokens), policy: 'exact', firstUnits: tokens }
}

function render({ results }: UpstreamModeration): readonly object[] {
  return results.map(({ flagged, categories, scores, inputTypes }) => ({
    ...{ flagged, categories, category_scores: scores },
    ...(inputTypes === null ? {} : { category_applied_input_types: inputTypes }),
  }))
}

async function price(
  askCost: AskCost,
  paid: Paid<ModerationTarget>,
  { texts, model }: ModerationCall,
  moderated: UpstreamModeration,
): Promise<Priced<WholeAnswer>> {
  const promptTokens = estimateTexts(texts)
  const counted = {
    ...{ promptTokens, outputBytes: 0, limit: null, laterBytes: 0, isWhole: true },
    ...{ showsReasoning: false, choices: 1, contextLength: null },
  }
  // Where tokens cost nothing, nothing of the charge is an estimate.
  const usage = moderated.usage ?? estimateUsage(counted)
  const report = sellsTokens(paid.target.price) ? moderated : { ...moderated, usage }
  return pricePrompt(askCost, paid, { made: moderated, report, counted }, (decided, charged) => {
    const counts = renderPromptUsage(decided.usage.promptTokens, charged.charge)
    const body = JSON.stringify({ id: `modr-${paid.hold.id}`, model, results: render(moderated), usage: counts })
    return `${body.slice(0, -1)},"svc":${renderSvc(charged, decided.estimated, null)}}`
  })
}

/** Makes the pipeline's work of a request for moderation. */
export function moderationWork<Answer, Reply, End>(
  deps: PaidDeps,
  { call, caller }: ModerationTask,
  begin: PaidWork<ModerationTarget, Answer, Reply, End>['begin'],
): PaidWork<ModerationTarget, Answer, Reply, End> {
  return {
    ...{ type: 'moderation', model: call.model, stream: false, sendsBeforeSettlement: false },
    findModel: () =>
      findPromptModel(deps, caller, {
        ...{ id: call.model, type: 'moderation' },
        mayTake: (model) => deps.upstreamOf(model).moderation?.takesAnyModel === true,
      }),
    selectTarget: () => moderationTarget,
    bound: (found) => boundOf(found, call),
    begin,
  }
}

/**
 * Classifies texts and images, and charges their tokens where these cost something. The charge is durable before the
 * answer is returned. Like every answer that is made whole it runs to its end even when the caller has gone.
 *
 * Source: decision 0126 (moderations).
 *
 * @throws {ServiceError} for everything that fails; the request is then free.
 */
export function moderateInputs(deps: PaidDeps, task: ModerationTask): Promise<WholeAnswer> {
  const { call } = task
  const work = moderationWork<UpstreamModeration, WholeAnswer, WholeAnswer>(deps, task, (paid) => ({
    sink: wholeAnswer(task.keep),
    ask: ({ port, upstreamModel }) => {
      const { signal } = paid.hold.ended
      const { confidential } = paid.model
      return port.moderate({ body: call.body, upstreamModel, count: call.count, confidential, signal })
    },
    reportsOf: (moderated) => [moderated],
    costOf: countedCost,
    price: (moderated, askCost) => price(askCost, paid, call, moderated),
  }))
  return runPaid(deps, task, work)
}
