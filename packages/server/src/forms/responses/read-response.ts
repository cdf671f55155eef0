import type { Caller } from '../../access/keys/caller.ts'
import type { CountedJson } from '../../pipeline/json-call.ts'
import type { FormRoutesDeps } from '../form-routes-deps.ts'
import type { TranslatedChat } from '../translated-chat.ts'
import { findReferred } from './find-referred.ts'
import { parseResponse } from './parse-response.ts'
import { truncateChat } from './truncate-chat.ts'

/** What a request for a response is read with. */
export type ReadResponseDeps = Pick<FormRoutesDeps, 'chat' | 'keptItems' | 'storedResponses'>

/**
 * Reads a request for a response, and what it refers to, as the chat that it is.
 *
 * @throws {ServiceError} 400, 404.
 */
export async function readResponse(deps: ReadResponseDeps, body: CountedJson, caller: Caller): Promise<TranslatedChat> {
  const response = parseResponse(body, caller)
  const chat = await response.translate(await findReferred(deps, caller, response))
  return response.truncates ? { ...chat, call: await truncateChat(deps.chat, caller, chat) } : chat
}
