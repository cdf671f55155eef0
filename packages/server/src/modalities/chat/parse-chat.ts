import {
  chatRequest,
  type ChatRequest,
  isBlankChat,
  isOrdinaryChat,
  MESSAGE_PARTS_MAX,
  MESSAGES_MAX,
  REQUEST_PARTS_MAX,
  TOOLS_MAX,
  translatedChatRequest,
} from '@svc/contract'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { JsonBody } from '../../platform/json/json-body.ts'
import { type CountedJson, parseJsonObject, scanBody, SpellingCheck } from '../../pipeline/json-call.ts'
import { WorkGuard } from '../../pipeline/work-guard.ts'
import type { AskedWork } from '../../pipeline/work-reader.ts'
import { refuseTools } from './refuse-tools.ts'
import { takeRoutingWishes } from './routing-wishes.ts'

/** A chat request whose shape is known to be right, with the very text that the client sent. */
export interface ChatCall {
  readonly body: JsonBody
  readonly request: ChatRequest
  /** What its further fields ask for. */
  readonly work: AskedWork
  /** Models that may answer it, in the order of preference; empty where it names one, as most do. */
  readonly models: readonly string[]
  /** Set where its one message is a text to go on with, or the text before a gap, with a `suffix` behind that. */
  readonly completes: 'text' | 'gap' | null
  /** False where the form of its answer has no place for audio and images. */
  readonly carriesMedia: boolean
}

/**
 * Refuses a request of more messages and parts than may be, before each of them is looked at: millions fit into a body,
 * and no other client is served meanwhile.
 */
function refuseCrowds({ messages, tools }: Readonly<Record<string, unknown>>): void {
  const tooMany = (param: string, most: number, unit: string): ServiceError =>
    new ServiceError('invalid_value', `Invalid value for '${param}': expected at most ${most} ${unit}.`, { param })
  if (Array.isArray(tools) && tools.length > TOOLS_MAX) throw tooMany('tools', TOOLS_MAX, 'items')
  if (!Array.isArray(messages)) return
  if (messages.length > MESSAGES_MAX) throw tooMany('messages', MESSAGES_MAX, 'items')
  let parts = 0
  for (const [index, message] of messages.entries()) {
    const content: unknown = typeof message === 'object' && message !== null ? Reflect.get(message, 'content') : null
    if (!Array.isArray(content)) continue
    if (content.length > MESSAGE_PARTS_MAX) throw tooMany(`messages.${index}.content`, MESSAGE_PARTS_MAX, 'items')
    parts += content.length
  }
  if (parts > REQUEST_PARTS_MAX) throw tooMany('messages', REQUEST_PARTS_MAX, 'content parts')
}

const spellings = new SpellingCheck(Object.keys(chatRequest.shape))
const guard = new WorkGuard('chat', Object.keys(chatRequest.shape))

/**
 * Reads the body of a chat request. What the gateway does not read goes on byte for byte, unless it would make more
 * work than is held for.
 *
 * @throws {ServiceError} 400: no JSON object, a doubled key, a field of the wrong type, a field that we do not pass on,
 *   or no content at all.
 */
export function parseChat(text: CountedJson): ChatCall {
  const given = parseJsonObject(text)
  refuseCrowds(given)
  const { models, ...routed } = takeRoutingWishes(text, given)
  return { ...readChat(routed.text, routed.value, chatRequest), models }
}

/**
 * The same of a chat that was made of a request in another form, whose items were counted there, and which answers with
 * text and calls alone.
 */
export function parseTranslatedChat(text: CountedJson, completes: ChatCall['completes'] = null): ChatCall {
  return { ...readChat(text, parseJsonObject(text), translatedChatRequest), carriesMedia: false, completes }
}

function readChat(text: CountedJson, value: Record<string, unknown>, schema: typeof translatedChatRequest): ChatCall {
  // Most requests are seen to be right at one look; the schema decides about the others.
  const request: ChatRequest = isOrdinaryChat(value) ? value : parseBySchema(schema, value)
  const members = scanBody(text)
  spellings.refuse(members.keys())
  const body = { text, value, members }
  const work = guard.readBody(body)
  refuseTools(body, guard)
  if (isBlankChat(request)) {
    throw new ServiceError('empty_content', 'The request has no content. You were not charged.', { param: 'messages' })
  }
  return { body, request, work, carriesMedia: true, completes: null, models: [] }
}
