import type { Caller } from '../../access/keys/caller.ts'
import { type FindModelDeps, firstChatModel } from '../../pipeline/find-model.ts'
import type { TargetDeps } from '../../pipeline/routing/list-targets.ts'
import type { ChatCall } from './parse-chat.ts'

/** Of several models that a request names, the first that can answer it. @throws {ServiceError} where none can. */
export function chooseModel(
  deps: FindModelDeps & Pick<TargetDeps, 'upstreamOf'>,
  caller: Pick<Caller, 'models'>,
  chat: ChatCall,
): ChatCall {
  const [first, ...others] = chat.models
  if (first === undefined) return chat
  const model = firstChatModel(deps, caller, [first, ...others])
  return { ...chat, request: { ...chat.request, model } }
}
