import { createHmac } from 'node:crypto'
import { messageCountRequest, type MessageCountRequest, messageRequest } from '@svc/contract'
import type { z } from 'zod'
import type { Caller } from '../../access/keys/caller.ts'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { type CountedJson, parseJsonObject, scanBody, SpellingCheck } from '../../pipeline/json-call.ts'
import { WorkGuard } from '../../pipeline/work-guard.ts'
import { fieldsOfServers, pickFields, refuseOthers, requireText, unsupported } from '../../pipeline/refuse-fields.ts'
import type { ChatCall } from '../../modalities/chat/parse-chat.ts'
import { type FieldNames, parseTranslated, type TranslatedChat } from '../translated-chat.ts'
import { MessageFrames } from './message-frames.ts'
import { cacheOf, messagesOf } from './message-input.ts'
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

const known = new Set(Object.keys(messageRequest.shape))
const spellings = new SpellingCheck([...known])
const guard = new WorkGuard('chat', [...known])

/** Tools of one's own; `eager_input_streaming` only asks for what every stream here does. */
const TOOL_FIELDS = new Set([
  'type',
  'name',
  'description',
  'input_schema',
  'strict',
  'cache_control',
  'eager_input_streaming',
])

function toolOf(tool: Fields, index: number): Fields {
  const path = `tools.${index}`
  const type = tool['type'] ?? 'custom'
  if (type !== 'custom') throw unsupported(`${path}.type`, 'only tools of your own can be offered.')
  const { defer_loading: isDeferred, ...fields } = tool
  // Nothing here would load it later.
  if (isDeferred === true) throw unsupported(`${path}.defer_loading`)
  refuseOthers(fields, TOOL_FIELDS, `${path}.`)
  const names = { description: 'description', input_schema: 'parameters', strict: 'strict' }
  const called = { name: requireText(tool, 'name', path), ...pickFields(tool, names) }
  return { type: 'function', function: called, ...cacheOf(tool) }
}

const choices = { auto: 'auto', any: 'required', none: 'none' } as const

function toolChoiceOf(choice: NonNullable<MessageCountRequest['tool_choice']>): Fields {
  refuseOthers(choice, new Set(['type', 'name', 'disable_parallel_tool_use']), 'tool_choice.')
  const { type } = choice
  const chosen =
    type === 'tool'
      ? { type: 'function', function: { name: requireText(choice, 'name', 'tool_choice') } }
      : choices[type]
  const isSingle = choice['disable_parallel_tool_use'] === true
  return { tool_choice: chosen, ...(isSingle ? { parallel_tool_calls: false } : {}) }
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
  refuseOthers(format, new Set(['type', 'schema']), 'output_config.format.')
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

/** Edits of the conversation would need the provider's counters. Agents send one that asks for none: it keeps all. */
function refuseEdits(management: NonNullable<MessageCountRequest['context_management']>): void {
  refuseOthers(management, new Set(['edits']), 'context_management.')
  for (const [index, { type, keep, ...more }] of (management.edits ?? []).entries()) {
    const path = `context_management.edits.${index}`
    if (type !== 'clear_thinking_20251015' || keep !== 'all')
      throw unsupported(path, 'it would change the conversation.')
    refuseOthers(more, new Set(), `${path}.`)
  }
}

function refuseUnanswerable(request: MessageCountRequest): void {
  refuseOthers(request, known, '', guard)
  refuseOthers(request.thinking ?? {}, new Set(['type', 'budget_tokens', 'display']), 'thinking.')
  refuseOthers(request.output_config ?? {}, new Set(['effort', 'format']), 'output_config.')
  refuseOthers(request.metadata ?? {}, new Set(['user_id']), 'metadata.')
  refuseEdits(request.context_management ?? {})
}

/** @throws {ServiceError} 400. */
function readRequest<Schema extends z.ZodType<MessageCountRequest>>(
  text: CountedJson,
  schema: Schema,
): z.output<Schema> {
  const value = parseJsonObject(text)
  const request = parseBySchema(schema, value)
  spellings.refuse(scanBody(text).keys())
  guard.readFields(value)
  refuseUnanswerable(request)
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
  const { tools, tool_choice: choice, output_config: config } = request
  const effort = effortOf(request)
  const format = config?.format ?? null
  return {
    ...fieldsOfServers(request, known, guard),
    ...pickFields(request, SAME),
    ...cacheOf(request),
    messages: messagesOf(request),
    ...(tools === null || tools === undefined || tools.length === 0 ? {} : { tools: tools.map(toolOf) }),
    ...(choice === null || choice === undefined ? {} : toolChoiceOf(choice)),
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
export function parseMessage(text: CountedJson, { accountId }: Pick<Caller, 'accountId'>): TranslatedChat {
  const request = readRequest(text, messageRequest)
  return {
    call: parseTranslated({ ...chatOf(request), ...userOf(request, accountId) }, MESSAGE_FIELDS),
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
export function parseMessageCount(text: CountedJson): ChatCall {
  return parseTranslated(chatOf(readRequest(text, messageCountRequest)), MESSAGE_FIELDS)
}
