import type { Endpoint } from '@svc/contract'
import type { Caller } from '../access/keys/caller.ts'
import { checkContentType } from '../edge/read-json-body.ts'
import { readAsCaller } from '../edge/read-as-caller.ts'
import { readBody } from '../edge/read-body.ts'
import { admitCaller, type RouteCall } from '../edge/route.ts'
import type { ChatCall } from '../modalities/chat/parse-chat.ts'
import type { ChatRoutesDeps } from '../modalities/chat/chat-routes-deps.ts'
import { requireActive } from '../money/billing/require-active.ts'
import { type CountedJson, countInTurns, parseAhead } from '../pipeline/json-call.ts'
import { type CountedPrompt, countPromptTokens } from './count-prompt-tokens.ts'

/**
 * Answers how many tokens a request would have. Free, so that no hold asks for the key: its row is read. Counted by the
 * rate limits. Source: decision 0037 (messages).
 *
 * @param parse makes the chat of the body. @throws {ServiceError} 400.
 */
export async function answerCount(
  deps: ChatRoutesDeps,
  call: RouteCall,
  endpoint: Endpoint,
  parse: (body: CountedJson, caller: Caller) => ChatCall | Promise<ChatCall>,
): Promise<CountedPrompt> {
  await admitCaller(deps, call, endpoint, 'cached')
  checkContentType(call)
  const limits = { bytesMax: deps.limits.configured.chatBodyBytes, budget: deps.limits.bodies }
  const { caller, body: read } = await readAsCaller(
    deps,
    call,
    { endpoint, known: null },
    { read: () => readBody(call.request.raw, limits), drop: (dropped) => dropped.release() },
  )
  const { body, release } = read
  try {
    await requireActive(deps.balance.store, caller)
    const { text } = await countInTurns(body)
    await parseAhead(text)
    const chat = await parse(text, caller)
    call.request.facts.model = chat.request.model
    return await countPromptTokens(deps.chat, caller, chat)
  } finally {
    release()
  }
}
