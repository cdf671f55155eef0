/** How many tokens a prompt would have, asked before it is sent, in any form of a chat. Nothing is held and nothing charged. */
import { type Model, offeringsOf } from '../catalog/model.ts'
import type { Caller } from '../access/keys/caller.ts'
import { estimatePrompt, estimateRest, promptBody, promptText } from '../pricing/prompt-bound.ts'
import { findChatModel } from '../pipeline/find-model.ts'
import type { ChatCall } from '../modalities/chat/parse-chat.ts'
import type { ChatDeps } from '../modalities/chat/chat-work.ts'

export type CountDeps = Pick<ChatDeps, 'catalog' | 'upstreamOf' | 'countTokens'>

export interface CountedPrompt {
  readonly tokens: number
  /** False where the upstream that would serve the request has counted it. */
  readonly isEstimated: boolean
}

/** The longest that an upstream's count is waited for, in milliseconds. Source: own choice. */
const COUNT_MS = 10_000

/** By the upstream that is asked first; null where it cannot count, or does not now. */
async function countUpstream(deps: CountDeps, model: Model, call: ChatCall): Promise<number | null> {
  const { upstream, upstreamModel } = offeringsOf(model).find(({ price }) => price !== null) ?? model
  const { countPrompt } = deps.upstreamOf({ upstream })
  if (countPrompt === null) return null
  const request = { body: call.body, upstreamModel, stream: false, maxTokens: null, confidential: model.confidential }
  return countPrompt({ ...request, signal: AbortSignal.timeout(COUNT_MS) }).catch(() => null)
}

/** By the gateway's own counter: exact for no model, near for most. */
async function estimate(deps: CountDeps, { body }: ChatCall): Promise<number> {
  const prompt = promptBody(body.value, body.text.length)
  const text = await deps.countTokens(promptText(body.value)).catch(() => null)
  return text === null ? estimatePrompt(prompt) : text + estimateRest(prompt)
}

/**
 * Counts the tokens of a prompt.
 *
 * @throws {ServiceError} 404, 403 or 400 for the model.
 */
export async function countPromptTokens(
  deps: CountDeps,
  caller: Pick<Caller, 'models'>,
  call: ChatCall,
): Promise<CountedPrompt> {
  const model = findChatModel(deps, caller, call.request.model)
  const counted = await countUpstream(deps, model, call)
  if (counted !== null) return { tokens: counted, isEstimated: false }
  return { tokens: await estimate(deps, call), isEstimated: true }
}
