/** One request for embeddings. */
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
import { boundCountedTexts, boundEmbedding, boundTexts, estimateTexts } from '../../pricing/embedding-bound.ts'
import type { Offering } from '../../pipeline/routing/list-targets.ts'
import type { EmbeddingUpstream, UpstreamEmbeddings } from '../../upstreams/embedding-upstream.ts'
import { upstreamFailure } from '../../upstreams/upstream-failure.ts'
import { countedCost } from '../../pipeline/token-charge.ts'
import type { EmbeddingCall } from './parse-embeddings.ts'
import { renderPromptUsage, renderSvc } from '../../pipeline/render-charge.ts'
import { renderVectors } from './render-vectors.ts'

/** One request for embeddings of one caller. */
export type EmbeddingTask = PaidTask<EmbeddingCall>

type EmbeddingTarget = PromptTarget<EmbeddingUpstream>

function embeddingTarget(offering: Offering): EmbeddingTarget | null {
  return promptTarget(offering, ({ embeddings }) => embeddings, 'This model does not support embeddings.')
}

/** What is held: so many tokens at the dearest price that can come to count. */
function boundOf({ targets }: FoundModel<EmbeddingTarget>, tokens: number): Bound {
  const prices = targets.map(({ price }) => price)
  return { ...boundEmbedding(prices, tokens), policy: 'exact', firstUnits: tokens }
}

/** A tighter bound by a real count; null where it is not tighter, or cannot be counted now: then a refusal remains. */
async function countedBound(
  deps: CountingDeps,
  { texts }: EmbeddingCall,
  found: FoundModel<EmbeddingTarget>,
  bound: number,
): Promise<Bound | null> {
  const text = texts.filter((part) => typeof part === 'string').join('\n')
  if (text === '') return null
  const tokens = await deps.countTokens(text).catch(() => null)
  const counted = tokens === null ? bound : boundCountedTexts(texts, tokens)
  return counted < bound ? boundOf(found, counted) : null
}

/** @throws {UpstreamFailure} for vectors that are none. */
async function price(
  askCost: AskCost,
  paid: Paid<EmbeddingTarget>,
  { request, texts }: EmbeddingCall,
  embedded: UpstreamEmbeddings,
): Promise<Priced<WholeAnswer>> {
  const { target, model } = paid
  const data = renderVectors(embedded.vectors, request.encoding_format ?? 'float')
  if (data === null) throw upstreamFailure('broken', { upstream: target.upstream.name, status: 200 })
  const counted = {
    ...{ promptTokens: estimateTexts(texts), outputBytes: 0, limit: null, laterBytes: 0, isWhole: true },
    // The window is that of one text.
    ...{ showsReasoning: false, choices: 1, contextLength: (model.contextLength ?? 0) * texts.length },
  }
  return pricePrompt(askCost, paid, { made: embedded, report: embedded, counted }, (decided, charged) => {
    const usage = renderPromptUsage(decided.usage.promptTokens, charged.charge)
    const body = JSON.stringify({ object: 'list', data, model: request.model, usage })
    return `${body.slice(0, -1)},"svc":${renderSvc(charged, decided.estimated, null)}}`
  })
}

/** Makes the pipeline's work of a request for embeddings. */
export function embeddingWork<Answer, Reply, End>(
  deps: CountingDeps,
  { call, caller }: EmbeddingTask,
  begin: PaidWork<EmbeddingTarget, Answer, Reply, End>['begin'],
): PaidWork<EmbeddingTarget, Answer, Reply, End> {
  const tokensMax = ({ model }: FoundModel<EmbeddingTarget>): number => boundTexts(call.texts, model.contextLength)
  return {
    ...{ type: 'embedding', model: call.request.model, stream: false, sendsBeforeSettlement: false },
    findModel: () =>
      findPromptModel(deps, caller, {
        ...{ id: call.request.model, type: 'embedding' },
        mayTake: (model) => deps.upstreamOf(model).embeddings?.takesAnyModel === true,
      }),
    selectTarget: () => embeddingTarget,
    bound: (found) => boundOf(found, tokensMax(found)),
    sharperBound: (found) => countedBound(deps, call, found, tokensMax(found)),
    begin,
  }
}

/**
 * Turns texts into vectors and charges their tokens. The charge is durable before the answer is returned. Like every
 * answer that is made whole it runs to its end even when the caller has gone.
 *
 * Source: decision 0048 (embeddings).
 *
 * @throws {ServiceError} for everything that fails; the request is then free.
 */
export function embedTexts(deps: CountingDeps, task: EmbeddingTask): Promise<WholeAnswer> {
  const { call } = task
  const work = embeddingWork<UpstreamEmbeddings, WholeAnswer, WholeAnswer>(deps, task, (paid) => ({
    sink: wholeAnswer(task.keep),
    ask: ({ port, upstreamModel }) => {
      const { signal } = paid.hold.ended
      const { confidential } = paid.model
      return port.embed({ body: call.body, upstreamModel, count: call.texts.length, confidential, signal })
    },
    reportsOf: (embedded) => [embedded],
    costOf: countedCost,
    price: (embedded, askCost) => price(askCost, paid, call, embedded),
  }))
  return runPaid(deps, task, work)
}
