/** One request to rank documents. */
import type { AskCost } from '../../pipeline/late-cost.ts'
import {
  type Bound,
  type CountingDeps,
  type FoundModel,
  type Paid,
  type PaidTask,
  type PaidWork,
  type Priced,
  wholeAnswer,
  type WholeAnswer,
} from '../../pipeline/paid-work.ts'
import { findPromptModel, pricePrompt, type PromptTarget, promptTarget } from '../../pipeline/prompt-work.ts'
import { runPaid } from '../../pipeline/run-paid.ts'
import type { Offering } from '../../pipeline/routing/list-targets.ts'
import { countedCost } from '../../pipeline/token-charge.ts'
import { sellsTokens } from '../../pricing/charge-chat.ts'
import {
  boundCountedRanking,
  boundRanking,
  boundRankingCost,
  estimateRanking,
  type RankedLengths,
  type RankedQuantities,
} from '../../pricing/rerank-bound.ts'
import type { RerankUpstream, UpstreamRanking } from '../../upstreams/rerank-upstream.ts'
import type { RerankCall } from './parse-rerank.ts'
import { renderRanking } from './render-ranking.ts'

/** One request of one caller. */
export type RerankTask = PaidTask<RerankCall>

type RerankTarget = PromptTarget<RerankUpstream>

function rerankTarget(offering: Offering): RerankTarget | null {
  return promptTarget(offering, ({ rerank }) => rerank, 'This model does not rank documents.')
}

function documentBytes({ texts }: RerankCall): readonly number[] {
  return texts.map((text) => Buffer.byteLength(text))
}

/** Whatever else is in the request, such as an instruction, a server may read with each document. */
function mostBytes(call: RerankCall): RankedLengths {
  const others = [...call.body.members].filter(([name]) => name !== 'documents' && name !== 'model')
  const query = others.reduce((sum, [, { valueStart, valueEnd }]) => sum + valueEnd - valueStart, 0)
  return { query, documents: documentBytes(call) }
}

function boundOf({ targets }: FoundModel<RerankTarget>, quantities: RankedQuantities): Bound {
  const prices = targets.map(({ price }) => price)
  return { ...boundRankingCost(prices, quantities), policy: 'exact', firstUnits: quantities.tokens }
}

/** A tighter bound by a real count; null where it cannot be counted now: then a refusal remains. */
async function countedBound(
  deps: CountingDeps,
  { request, texts }: RerankCall,
  found: FoundModel<RerankTarget>,
): Promise<Bound | null> {
  try {
    const query = await deps.countTokens(request.query)
    const documents = await deps.countTokens(texts.join('\n'))
    return boundOf(found, boundCountedRanking({ query, documents }, texts.length))
  } catch {
    return null
  }
}

async function price(
  askCost: AskCost,
  paid: Paid<RerankTarget>,
  call: RerankCall,
  ranking: UpstreamRanking,
): Promise<Priced<WholeAnswer>> {
  const { target, model } = paid
  const { tokens: promptTokens, searches: requests } = likelyRanking(call)
  const counted = {
    ...{ promptTokens, requests, outputBytes: 0, limit: null, laterBytes: 0, isWhole: true },
    // The window is that of one document.
    ...{ showsReasoning: false, choices: 1, contextLength: (model.contextLength ?? 0) * call.texts.length },
  }
  const report = sellsTokens(target.price) ? ranking : { ...ranking, lacks: undefined }
  return pricePrompt(askCost, paid, { made: ranking, report, counted }, (decided, charged) =>
    renderRanking(call, ranking, { id: paid.hold.id, decided, charged }),
  )
}

/** Makes the pipeline's work of a request to rank documents. */
export function rerankWork<Answer, Reply, End>(
  deps: CountingDeps,
  { call, caller }: RerankTask,
  begin: PaidWork<RerankTarget, Answer, Reply, End>['begin'],
): PaidWork<RerankTarget, Answer, Reply, End> {
  return {
    ...{ type: 'rerank', model: call.request.model, stream: false, sendsBeforeSettlement: false },
    findModel: () =>
      findPromptModel(deps, caller, {
        ...{ id: call.request.model, type: 'rerank' },
        mayTake: (model) => deps.upstreamOf(model).rerank?.takesAnyModel === true,
      }),
    selectTarget: () => rerankTarget,
    bound: (found) => boundOf(found, boundRanking(mostBytes(call))),
    sharperBound: (found) => countedBound(deps, call, found),
    begin,
  }
}

/** How many searches a ranking has at most. */
export function mostSearches(call: RerankCall): number {
  return boundRanking(mostBytes(call)).searches
}

/** What a ranking probably has, in tokens and searches. */
export function likelyRanking(call: RerankCall): RankedQuantities {
  return estimateRanking({ query: Buffer.byteLength(call.request.query), documents: documentBytes(call) })
}

/**
 * Ranks documents and charges for it. The charge is durable before the answer is returned. Like every answer that is
 * made whole it runs to its end even when the caller has gone.
 *
 * Source: decision 0125 (rankings).
 *
 * @throws {ServiceError} for everything that fails; the request is then free.
 */
export function rankDocuments(deps: CountingDeps, task: RerankTask): Promise<WholeAnswer> {
  const { call } = task
  const work = rerankWork<UpstreamRanking, WholeAnswer, WholeAnswer>(deps, task, (paid) => ({
    sink: wholeAnswer(task.keep),
    ask: ({ port, upstreamModel }) => {
      const { signal } = paid.hold.ended
      const { confidential } = paid.model
      return port.rank({ body: call.body, upstreamModel, count: call.texts.length, confidential, signal })
    },
    reportsOf: (ranking) => [ranking],
    costOf: countedCost,
    price: (ranking, askCost) => price(askCost, paid, call, ranking),
  }))
  return runPaid(deps, task, work)
}
