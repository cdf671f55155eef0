/**
 * What every chat request is to the pipeline, whole or streamed: its model, its limits and what it can come to cost.
 */
import type { OpenHold } from '../../money/billing/open-hold.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { findChatModel } from '../../pipeline/find-model.ts'
import type { CountingDeps, ListeningDeps, Paid, PaidRun, PaidTask, PaidWork } from '../../pipeline/paid-work.ts'
import type { SelectTarget } from '../../pipeline/routing/list-targets.ts'
import type { ChatTarget } from '../../pipeline/routing/target.ts'
import type { UpstreamChatRequest } from '../../upstreams/chat-upstream.ts'
import { ChatBounds, type ChatPlan } from './chat-plan.ts'
import type { ChatCall } from './parse-chat.ts'

/** What a chat is given. */
export type ChatDeps = CountingDeps & ListeningDeps

/** One chat request of one caller. */
export type ChatTask = PaidTask<ChatCall>

/** The `created` time of an answer, in seconds since the epoch. */
export function createdOf({ placedAt }: Pick<OpenHold, 'placedAt'>): number {
  return Math.floor(placedAt / 1000)
}

/** The targets that can do what a chat asks for besides its words. */
export function selectAble({ choices, fillsGap }: Pick<ChatBounds, 'choices' | 'fillsGap'>): SelectTarget<ChatTarget> {
  return ({ upstream, upstreamModel, price }) => {
    if (price === null) return null
    if (choices > 1 && !upstream.supportsChoices) throw notSupported('n', ' above 1')
    if (fillsGap && !upstream.takesSuffix(upstreamModel)) throw notSupported('suffix')
    return { upstream, upstreamModel, price }
  }
}

function notSupported(param: string, value = ''): ServiceError {
  const message = `Unsupported parameter: '${param}'${value} is not supported by this model.`
  return new ServiceError('unsupported_parameter', message, { param })
}

/** How a chat is worked on once its credits are held. */
export type BeginChat<Answer, Reply, End> = (
  paid: Paid<ChatTarget>,
  plan: ChatPlan,
) => PaidRun<ChatTarget, Answer, Reply, End>

/** Makes the pipeline's work of a chat request. */
export function chatWork<Answer, Reply, End>(
  deps: ChatDeps,
  { call, caller }: ChatTask,
  begin: BeginChat<Answer, Reply, End>,
): PaidWork<ChatTarget, Answer, Reply, End> {
  const { request } = call
  const bounds = new ChatBounds(deps, call)
  const stream = request.stream === true
  return {
    type: 'chat',
    model: request.model,
    stream,
    sendsBeforeSettlement: stream,
    findModel: () => findChatModel(deps, caller, request.model),
    selectTarget: () => selectAble(bounds),
    bound: (found) => bounds.byBytes(found),
    sharperBound: (found) => bounds.byCount(found),
    begin: (paid) => begin(paid, bounds.plan(paid.hold)),
  }
}

/** What an upstream is asked. */
export function chatRequest(
  { model }: Paid<ChatTarget>,
  plan: ChatPlan,
  { upstreamModel }: ChatTarget,
  more: { readonly stream: boolean; readonly signal: AbortSignal },
): UpstreamChatRequest {
  const { body, completesText, maxTokens, outputTokens } = plan
  const { confidential, inputModalities } = model
  const readsFiles = inputModalities.includes('file')
  return { body, upstreamModel, completesText, maxTokens, outputTokens, readsFiles, confidential, ...more }
}
