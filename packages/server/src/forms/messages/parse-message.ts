import { createHmac } from 'node:crypto'
import { messageCountRequest, type MessageCountRequest, messageRequest } from '@svc/contract'
import type { z } from 'zod'
import type { Caller } from '../../access/keys/caller.ts'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { type CountedJson, parseJsonObject, scanBody, SpellingCheck } from '../../pipeline/json-call.ts'
import { WorkGuard } from '../../pipeline/work-guard.ts'
import { fieldsOfServers, pickFields, requireText, unsupported } from '../../pipeline/refuse-fields.ts'
import type { ChatCall } from '../../modalities/chat/parse-chat.ts'
import { type FieldNames, parseTranslated, type TranslatedChat } from '../translated-chat.ts'
import { MessageFrames } from './message-frames.ts'
import { cacheOf, messagesOf } from './message-input.ts'
import { offeredTools } from './offered-tools.ts'
import { refusedMessageFields, refuseMessageFields } from './refused-message-fields.ts'
import { renderMessage } from './render-message.ts'

type Fields = Readonly<Record<string, unknown>>

/** What a chat calls the fields of this form. */
const MESSAGE_FIELDS: FieldNames = {
  messages: 'messages',
  stop: 'stop_sequences',
  user: 'metadata.user_id',
  reasoning_effort: 'thinking',
  response_format: 'output_config.format',
}

const read = Object.keys(messageRequest.shape)
const spellings = new SpellingCheck(read)
const guard = new WorkGuard('chat', [...read, ...Object.keys(refusedMessageFields)])
/** Fields of this form that no chat has: where they pass they ask for nothing, so they go no further. */
const known = new Set([...read, ...Object.keys(refusedMessageFields), 'inference_geo', 'plugins', 'speed'])

type ToolChoice = NonNullable<MessageCountRequest['tool_choice']>

const choices = { auto: 'auto', any: 'required', none: 'none' } as const

function toolChoiceOf(choice: ToolChoice): Fields {
  const { type } = choice
  const chosen =
    type === 'tool'
      ? { type: 'function', function: { name: requireText(choice, 'name', 'tool_choice') } }
      : choices[type]
  const isSingle = choice['disable_parallel_tool_use'] === true
  return { tool_choice: chosen, ...(isSingle ? { parallel_tool_calls: false } : {}) }
}

/** A choice among no tools is none, except one that asks for a call. Chats without tools may not have it. */
function isChoice(choice: ToolChoice | null | undefined, tools: readonly Fields[]): choice is ToolChoice {
  if (choice === null || choice === undefined) return false
  return tools.length > 0 || (choice.type !== 'auto' && choice.type !== 'none')
}

/** Most tokens of thinking that are a low and a medium effort. Source: own choice. */
const LOW_TOKENS = 4_096
const MEDIUM_TOKENS = 16_384

/** How much to think. A chat knows efforts only. Thinking that is off asks for nothing, as its absence does. */
function effortOf({ thinking, output_config: config }: MessageCountRequest): string | null {
  const asked = config?.effort ?? null
  if (asked !== null) return asked
  const budget = thinking?.type === 'enabled' ? thinking.budget_tokens : null
  if (budget === null || budget === undefined) return null
  if (budget <= LOW_TOKENS) return 'low'
  return budget <= MEDIUM_TOKENS ? 'medium' : 'high'
}

function responseFormatOf(format: Fields): Fields {
  if (format['type'] !== 'json_schema') throw unsupported('output_config.format.type')
  const schema = { name: 'response', strict: true, ...pickFields(format, { schema: 'schema' }) }
  return { type: 'json_schema', json_schema: schema }
}

const SAME = {
  model: 'model',
  max_tokens: 'max_tokens',
  stream: 'stream',
  temperature: 'temperature',
  top_p: 'top_p',
  top_k: 'top_k',
  stop_sequences: 'stop',
} as const

/** @throws {ServiceError} 400. */
function readRequest<Schema extends z.ZodType<MessageCountRequest>>(
  text: CountedJson,
  schema: Schema,
): z.output<Schema> {
  const value = parseJsonObject(text)
  const request = parseBySchema(schema, value)
  spellings.refuse(scanBody(text).keys())
  guard.readFields(value)
  refuseMessageFields(request)
  return request
}

/** Longest name of a user that every upstream takes. Source: OpenAI's API reference, `safety_identifier`. */
const USER_CHARACTERS = 64

/**
 * Who of a customer's users asks, as upstreams may know it. A name that is longer than they take, such as agents send,
 * becomes another that is the same for the same user of the same account, and says nothing.
 */
function userOf({ metadata }: MessageCountRequest, accountId: string): Fields {
  const user = metadata?.['user_id'] ?? null
  if (user === null || user.length <= USER_CHARACTERS) return user === null ? {} : { user }
  return { user: createHmac('sha256', accountId).update(user).digest('base64url') }
}

function chatOf(request: MessageCountRequest): Fields {
  const { tool_choice: choice, output_config: config } = request
  const tools = offeredTools(request)
  const effort = effortOf(request)
  const format = config?.format ?? request.output_format ?? null
  return {
    ...fieldsOfServers(request, known, guard),
    ...pickFields(request, SAME),
    ...cacheOf(request),
    messages: messagesOf(request),
    ...(tools.length === 0 ? {} : { tools }),
    ...(isChoice(choice, tools) ? toolChoiceOf(choice) : {}),
    ...(effort === null ? {} : { reasoning_effort: effort }),
    ...(format === null ? {} : { response_format: responseFormatOf(format) }),
    ...(request.stream === true ? { stream_options: { include_usage: true } } : {}),
  }
}

/**
 * Reads a request in the form of Anthropic's Messages API.
 *
 * @throws {ServiceError} 400: no JSON object, a doubled key, a field of the wrong type, or one that cannot be honoured.
 */
export async function parseMessage(
  text: CountedJson,
  { accountId }: Pick<Caller, 'accountId'>,
): Promise<TranslatedChat> {
  const request = readRequest(text, messageRequest)
  return {
    call: await parseTranslated(
      { ...chatOf(request), ...userOf(request, accountId) },
      { names: MESSAGE_FIELDS, bytes: text.length },
    ),
    fields: MESSAGE_FIELDS,
    whole: (json, head) => renderMessage(request.model, json, head),
    frames: (head) => new MessageFrames(request.model, head),
  }
}

/**
 * Reads a question how many tokens a message has, as the chat that it would be.
 *
 * @throws {ServiceError} 400 as `parseMessage`.
 */
export async function parseMessageCount(text: CountedJson): Promise<ChatCall> {
  const chat = chatOf(readRequest(text, messageCountRequest))
  return parseTranslated(chat, { names: MESSAGE_FIELDS, bytes: text.length })
}
