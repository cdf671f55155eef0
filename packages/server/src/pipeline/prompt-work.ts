/** Work that is charged by its prompt: embeddings, rankings and moderations. What they share beside the pipeline. */
import type { Model } from '../catalog/model.ts'
import type { Caller } from '../access/keys/caller.ts'
import type { Charged } from '../money/billing/settlement.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import type { ReportedUsage } from '../upstreams/chat-upstream.ts'
import type { Upstream } from '../upstreams/upstream.ts'
import type { UpstreamBill } from '../upstreams/upstream-failure.ts'
import type { Counted } from './believed-usage.ts'
import { findModel, type FindModelDeps, wrongModel } from './find-model.ts'
import { type AskCost, withLateCost } from './late-cost.ts'
import type { Paid, Priced, WholeAnswer } from './paid-work.ts'
import type { Offering } from './routing/list-targets.ts'
import type { ChatTarget } from './routing/target.ts'
import { type DecidedCharge, decideCharge, tokensOf } from './token-charge.ts'

/** What a model of each kind does. */
const promptAbilities = { embedding: 'make embeddings', rerank: 'rank documents', moderation: 'moderate' } as const

/** An upstream with the port for such work. */
export interface PromptTarget<Port> extends ChatTarget {
  readonly port: Port
}

/**
 * Finds a model of a kind, or one of which no list says what it does: an upstream whose lists do not say is asked.
 *
 * @param request.mayTake whether the model's upstream is one of those.
 * @throws {ServiceError} `model_not_found`, `model_not_allowed`; `invalid_value` for a model that does something else.
 */
export function findPromptModel(
  deps: FindModelDeps,
  caller: Pick<Caller, 'models'>,
  request: {
    readonly id: string
    readonly type: keyof typeof promptAbilities
    readonly mayTake: (model: Model) => boolean
  },
): Model {
  const { id, type, mayTake } = request
  const model = findModel(deps, caller, id)
  const mayBe = model.type === type || (model.type === 'text' && !model.featured && mayTake(model))
  if (model.price === null || !mayBe) throw wrongModel(model, promptAbilities[type])
  return model
}

/**
 * The target of an offering, null without a price.
 *
 * @param lack says that the model does no such work.
 * @throws {ServiceError} `invalid_value` for an upstream without the port.
 */
export function promptTarget<Port>(
  { upstream, upstreamModel, price }: Offering,
  portOf: (upstream: Upstream) => Port | null,
  lack: string,
): PromptTarget<Port> | null {
  if (price === null) return null
  const port = portOf(upstream)
  if (port !== null) return { upstream, upstreamModel, price, port }
  throw new ServiceError('invalid_value', lack, { param: 'model' })
}

/**
 * Prices an answer by what was reported for it, else by what was counted here.
 *
 * @param answer.made as the upstream's report is on the bill; `report` is what is believed of it.
 * @param write the body of the answer.
 */
export async function pricePrompt<Made extends UpstreamBill, Report extends ReportedUsage & UpstreamBill>(
  askCost: AskCost,
  { target, hold }: Paid<ChatTarget>,
  answer: { readonly made: Made; readonly report: Report; readonly counted: Counted },
  write: (decided: DecidedCharge, charged: Charged) => string,
): Promise<Priced<WholeAnswer>> {
  const { made, report, counted } = answer
  const completed = await withLateCost(askCost, report, counted)
  const decided = decideCharge(target.price, completed, counted)
  hold.bill.deliver(made)
  return {
    ...{ charge: decided.charge, estimated: decided.estimated, tokens: tokensOf(decided) },
    ...{ status: 'ok', errorCode: null, failure: null, generationId: completed.generationId },
    render: (charged) => ({ body: write(decided, charged), charged }),
  }
}
