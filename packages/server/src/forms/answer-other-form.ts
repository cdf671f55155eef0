import type { Endpoint } from '@svc/contract'
import type { TranslatedChat } from './translated-chat.ts'
import type { Caller } from '../access/keys/caller.ts'
import { beginIdempotent } from '../edge/idempotent-response.ts'
import { answerTranslated } from './answer-translated.ts'
import type { FormRoutesDeps } from './form-routes-deps.ts'
import type { CountedJson } from '../pipeline/json-call.ts'
import { readJsonBody } from '../edge/read-json-body.ts'
import { admitCaller, type RouteCall } from '../edge/route.ts'

/**
 * Answers one request for a chat in another form: the key, the body, the name of the request, the answer.
 *
 * @param parse makes the chat of the body. @throws {ServiceError} 400.
 */
export async function answerOtherForm(
  deps: FormRoutesDeps,
  call: RouteCall,
  endpoint: Endpoint,
  parse: (body: CountedJson, caller: Caller) => TranslatedChat | Promise<TranslatedChat>,
): Promise<unknown> {
  const admitted = await admitCaller(deps, call, endpoint, 'cached')
  const paid = { caller: admitted, endpoint, type: 'chat', bytesMax: deps.limits.configured.chatBodyBytes } as const
  const { caller, body, release } = await readJsonBody(deps, call, paid)
  try {
    const chat = await parse(body, caller)
    call.request.facts.model = chat.call.request.model
    const once = await beginIdempotent(deps, call, { caller, endpoint, body })
    if (once.kind === 'replay') return once.body
    return await answerTranslated(deps, call, { caller, chat, run: once.run })
  } finally {
    release()
  }
}
