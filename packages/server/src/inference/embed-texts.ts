/** One request for embeddings. */
import { nanocreditsOf } from '@svc/contract'
import { type HoldRequest, type OpenHold, placeHold } from '../billing/open-hold.ts'
import type { Model } from '../catalog/model.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { Caller } from '../keys/caller.ts'
import { boundCountedTexts, boundTexts, estimateTexts } from '../pricing/embedding-bound.ts'
import { boundRoute } from '../pricing/hold-bound.ts'
import { attemptTargets } from '../routing/attempt-targets.ts'
import { listTargets, type Place } from '../routing/list-targets.ts'
import type { ChatTarget } from '../routing/target.ts'
import type { EmbeddingUpstream, UpstreamEmbeddings } from '../upstream/embedding-upstream.ts'
import { upstreamFailure } from '../upstream/upstream-failure.ts'
import { countedCost, decideCharge, type DecidedCharge, type ServedBy, settlementOf } from './chat-charge.ts'
import type { CompletedChat } from './complete-chat.ts'
import { findEmbeddingModel } from './find-model.ts'
import { withLateCost } from './late-cost.ts'
import type { EmbeddingCall } from './parse-embeddings.ts'
import type { ChatDeps } from './prepare-chat.ts'
import { renderPromptUsage, renderSvc } from './render-charge.ts'
import { renderVectors } from './render-vectors.ts'
import { settleFailed } from './settle-failed.ts'

/** One request for embeddings of one caller. */
export interface EmbeddingTask {
  readonly caller: Caller
  readonly call: EmbeddingCall
  /** UUIDv7; also the id of the hold and of the usage record. */
  readonly requestId: string
}

interface EmbeddingTarget extends ChatTarget {
  readonly port: EmbeddingUpstream
}

interface PreparedEmbeddings {
  readonly model: Model
  readonly targets: readonly EmbeddingTarget[]
  target: EmbeddingTarget
  readonly hold: OpenHold
  /** What the texts probably have, for the case that nobody counts it. */
  readonly promptTokens: number
}

function embeddingTarget({ upstream, upstreamModel, price }: Place): EmbeddingTarget | null {
  if (price === null) return null
  const { embeddings: port } = upstream
  if (port !== null) return { upstream, upstreamModel, price, port }
  throw new ServiceError('invalid_value', 'The upstream of this model makes no embeddings.', { param: 'model' })
}

/** What is held: so many tokens at the dearest price that can come to count. */
function holdRequest(
  { call, caller, requestId }: EmbeddingTask,
  targets: readonly ChatTarget[],
  tokens: number,
): HoldRequest {
  const prices = targets.map(({ price }) => price)
  const fixed = boundRoute(prices, 0).fixed
  const whole = boundRoute(prices, tokens).fixed
  const perUnit = nanocreditsOf((whole - fixed + BigInt(tokens) - 1n) / BigInt(tokens))
  const { model } = call.request
  return {
    ...{ requestId, caller, type: 'embedding', model, stream: false, fixed, perUnit },
    ...{ units: tokens, policy: 'exact', firstUnits: tokens, flush: 'with_end' },
  }
}

/**
 * A sharper bound by a real count; null where it is none, or nobody can count now. It only sharpens a refusal that
 * stands without it.
 */
async function countedBound(deps: ChatDeps, { call }: EmbeddingTask, bound: number): Promise<number | null> {
  const text = call.texts.filter((part) => typeof part === 'string').join('\n')
  if (text === '') return null
  const tokens = await deps.countTokens(text).catch(() => null)
  const counted = tokens === null ? bound : boundCountedTexts(call.texts, tokens)
  return counted < bound ? counted : null
}

async function placeEmbeddingHold(deps: ChatDeps, task: EmbeddingTask, found: FoundTargets): Promise<OpenHold> {
  const { targets, model } = found
  const bound = boundTexts(task.call.texts, model.contextLength)
  try {
    return await placeHold(deps, holdRequest(task, targets, bound))
  } catch (error) {
    const counted = error instanceof ServiceError && error.status === 402 ? await countedBound(deps, task, bound) : null
    if (counted === null) throw error
    return placeHold(deps, holdRequest(task, targets, counted))
  }
}

interface FoundTargets {
  readonly model: Model
  readonly targets: readonly [EmbeddingTarget, ...EmbeddingTarget[]]
}

async function prepare(deps: ChatDeps, task: EmbeddingTask): Promise<PreparedEmbeddings> {
  const { call, caller } = task
  const takesAnyModel = (model: Model): boolean => deps.upstreamOf(model).embeddings?.takesAnyModel === true
  const model = findEmbeddingModel(deps, caller, { id: call.request.model, takesAnyModel })
  const targets = listTargets(deps, model, embeddingTarget)
  const hold = await placeEmbeddingHold(deps, task, { model, targets })
  return { model, targets, target: targets[0], hold, promptTokens: estimateTexts(call.texts) }
}

function embed(deps: ChatDeps, prepared: PreparedEmbeddings, call: EmbeddingCall): Promise<UpstreamEmbeddings> {
  const { signal } = prepared.hold.ended
  return attemptTargets(deps, prepared, {
    run: ({ port, upstreamModel }) => {
      const { confidential } = prepared.model
      return port.embed({ body: call.body, upstreamModel, count: call.texts.length, confidential, signal })
    },
    reportsOf: (embedded) => [embedded],
    costOf: countedCost,
    failureOf: () => null,
    isEnded: () => signal.aborted,
    mayRepeat: () => !signal.aborted,
  })
}

function servedBy({ target }: PreparedEmbeddings, generationId: string | null): ServedBy {
  return { upstream: target.upstream.name, model: target, generationId }
}

function render(
  call: EmbeddingCall,
  data: readonly object[],
  charged: { readonly decided: DecidedCharge; readonly charge: CompletedChat['charge'] },
): string {
  const { decided, charge } = charged
  const usage = renderPromptUsage(decided.usage.promptTokens, charge)
  const body = JSON.stringify({ object: 'list', data, model: call.request.model, usage })
  return `${body.slice(0, -1)},"svc":${renderSvc(charge, decided.estimated, null)}}`
}

async function answerAndSettle(
  deps: ChatDeps,
  prepared: PreparedEmbeddings,
  call: EmbeddingCall,
): Promise<CompletedChat> {
  const embedded = await embed(deps, prepared, call)
  const { name: upstream } = prepared.target.upstream
  const data = renderVectors(embedded.vectors, call.request.encoding_format ?? 'float')
  if (data === null) throw upstreamFailure('broken', { upstream, status: 200 })
  const answer = await withLateCost(deps, prepared.target.upstream, embedded)
  const counted = { promptTokens: prepared.promptTokens, outputBytes: 0, limit: null, laterBytes: 0 }
  const decided = decideCharge(prepared.target.price, answer, counted)
  const wanted = decided.charge.charge
  // Written before the settlement, so that an answer which cannot be written is never charged.
  const json = render(call, data, { decided, charge: wanted })
  prepared.hold.bill.deliver(embedded)
  const charge = await prepared.hold.settle(settlementOf(decided, servedBy(prepared, answer.generationId), 'ok'))
  return { json: charge === wanted ? json : render(call, data, { decided, charge }), charge }
}

/**
 * Turns texts into vectors and charges their tokens. The charge is durable before the answer is returned. Like every
 * answer that is made whole it runs to its end even when the caller has gone.
 *
 * Source: decision 0048 (embeddings).
 *
 * @throws {ServiceError} for everything that fails; the request is then free.
 */
export async function embedTexts(deps: ChatDeps, task: EmbeddingTask): Promise<CompletedChat> {
  const prepared = await prepare(deps, task)
  try {
    return await answerAndSettle(deps, prepared, task.call)
  } catch (error) {
    await settleFailed(deps, prepared, error)
    throw error
  }
}
