import type { Caller } from '../../access/keys/caller.ts'
import { type FindModelDeps, firstChatModel } from '../../pipeline/find-model.ts'
import type { TargetDeps } from '../../pipeline/routing/list-targets.ts'
import type { ChatCall } from './parse-chat.ts'

/**
 * Of several models that a request names, the first that can answer it; of one that is sent with a quote, the model that
 * was quoted, whichever is in service by now. Source: decision 0150.
 *
 * @param quoted asked where the request names several: the id of the model in the catalog; null without a quote.
 * @throws {ServiceError} where none can.
 */
export function chooseModel(
  deps: FindModelDeps & Pick<TargetDeps, 'upstreamOf'>,
  caller: Pick<Caller, 'models'>,
  chat: ChatCall,
  quoted: () => string | null = () => null,
): ChatCall {
  const [first, ...others] = chat.models
  if (first === undefined) return chat
  const id = quoted()
  const pinned = id === null ? undefined : chat.models.find((name) => deps.catalog.find(name)?.id === id)
  const model = pinned ?? firstChatModel(deps, caller, [first, ...others])
  return { ...chat, request: { ...chat.request, model } }
}
