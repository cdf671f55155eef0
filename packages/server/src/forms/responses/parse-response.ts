import { responseRequest, type ResponseRequest } from '@svc/contract'
import type { Caller } from '../../access/keys/caller.ts'
import type { StoredResponse } from '../../admission/idempotency/stored-responses.ts'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { type CountedJson, parseJsonObject, scanBody, SpellingCheck } from '../../pipeline/json-call.ts'
import { WorkGuard } from '../../pipeline/work-guard.ts'
import { fieldsOfServers, pickFields, unsupported } from '../../pipeline/refuse-fields.ts'
import { type FieldNames, parseTranslated, recordOf, textOf, type TranslatedChat } from '../translated-chat.ts'
import { offerToolsIn } from './call-items.ts'
import { OfferedTools } from './offered-tools.ts'
import { itemFinder, outputIn, seedsIn } from './referred-items.ts'
import { renderResponse } from './render-response.ts'
import { ResponseFrames } from './response-frames.ts'
import { itemsIn, messagesOf, type PlacedItem } from './response-input.ts'
import { itemsOfTurn, turnOf } from './stored-turns.ts'
import { toolChoiceOf } from './tool-choice.ts'

type Fields = Readonly<Record<string, unknown>>

/** The item that changes how the request is answered. */
const UPDATE = 'configuration_update'

/** Fields that mean the same in a chat. */
const SAME = {
  model: 'model',
  temperature: 'temperature',
  top_p: 'top_p',
  top_logprobs: 'top_logprobs',
  metadata: 'metadata',
  user: 'user',
  safety_identifier: 'safety_identifier',
  prompt_cache_key: 'prompt_cache_key',
  prompt_cache_retention: 'prompt_cache_retention',
  prompt_cache_options: 'prompt_cache_options',
  service_tier: 'service_tier',
  max_output_tokens: 'max_completion_tokens',
  stream: 'stream',
} as const

/** What a chat calls them. */
const RESPONSE_FIELDS: FieldNames = {
  messages: 'input',
  max_completion_tokens: 'max_output_tokens',
  max_tokens: 'max_output_tokens',
  response_format: 'text.format',
  reasoning_effort: 'reasoning.effort',
  verbosity: 'text.verbosity',
  logprobs: 'include',
}

const known = new Set(Object.keys(responseRequest.shape))
const spellings = new SpellingCheck([...known])
const guard = new WorkGuard('chat', [...known])

function responseFormatOf(format: Fields): Fields {
  const { type, ...schema } = format
  if (type !== 'json_schema') return { type }
  const names = { name: 'name', description: 'description', schema: 'schema', strict: 'strict' }
  return { type, json_schema: pickFields(schema, names) }
}

/** Fields of a chat that the Responses form has not, and that servers of models read in both. */
const CHAT_ALONE = Object.fromEntries(
  ['stop', 'seed', 'frequency_penalty', 'presence_penalty', 'logit_bias', 'top_k', 'min_p'].map((name) => [name, name]),
)

/** What the model may call. Upstreams refuse both members where there is nothing to call. */
function callsOf(request: ResponseRequest, offered: OfferedTools): Fields {
  const { functions: tools } = offered
  return {
    ...(tools.length > 0 ? { tools, ...pickFields(request, { parallel_tool_calls: 'parallel_tool_calls' }) } : {}),
    ...toolChoiceOf(request, offered),
  }
}

interface Settings {
  readonly effort: string | null
  /** Of the text. */
  readonly format: Fields | null
}

/** How to think and to write: as the request says, or the last item that changes it. */
function settingsOf({ reasoning, text }: ResponseRequest, items: readonly PlacedItem[]): Settings {
  const all = [{ reasoning, text }, ...items.map(({ item }) => item).filter(({ type }) => type === UPDATE)]
  const efforts = all.map((settings) => textOf(recordOf(settings['reasoning'])['effort']))
  const formats = all.map((settings) => recordOf(recordOf(settings['text'])['format']))
  return {
    effort: efforts.findLast((effort) => effort !== null) ?? null,
    format: formats.findLast(({ type }) => textOf(type) !== null) ?? null,
  }
}

/** A request as a chat, and the tools of it. */
interface Translation {
  readonly chat: Fields
  readonly offered: OfferedTools
}

function chatOf(request: ResponseRequest, items: readonly PlacedItem[]): Translation {
  const { text, top_logprobs: logprobs } = request
  const wantsLogprobs = (logprobs ?? 0) > 0 || request.include?.includes('message.output_text.logprobs') === true
  const offered = new OfferedTools()
  offered.addOwn(request.tools)
  for (const { item, path } of items) offerToolsIn(item, path, offered)
  const { effort, format } = settingsOf(request, items)
  const chat = {
    ...fieldsOfServers(request, known, guard),
    ...pickFields(request, CHAT_ALONE),
    ...pickFields(request, SAME),
    messages: messagesOf(request.instructions, items, offered),
    ...callsOf(request, offered),
    ...(format === null ? {} : { response_format: responseFormatOf(format) }),
    ...pickFields(text ?? {}, { verbosity: 'verbosity' }),
    ...(effort === null ? {} : { reasoning_effort: effort }),
    ...(wantsLogprobs ? { logprobs: true } : {}),
    ...(request.stream === true ? { stream_options: { include_usage: true } } : {}),
  }
  return { chat, offered }
}

/** Fields whose answer would be another one without them, and why they cannot be honoured. */
const UNANSWERABLE: Readonly<Record<string, string>> = {
  background: 'an answer is given at once: there is none to fetch later.',
  conversation: 'no conversations are kept: send the whole conversation.',
  prompt: 'no prompts are kept: send the instructions and the input themselves.',
}

const PREVIOUS = 'previous_response_id'

const NOT_STORED =
  "responses of this key's team are not stored: send the whole conversation, or let the team store them."

function isSent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== ''
}

function refuseUnanswerable(value: Fields, { storesResponses }: Pick<Caller, 'storesResponses'>): void {
  for (const [name, reason] of Object.entries(UNANSWERABLE)) if (isSent(value[name])) throw unsupported(name, reason)
  if (!storesResponses && isSent(value[PREVIOUS])) throw unsupported(PREVIOUS, NOT_STORED)
  const mode = recordOf(value['reasoning'])['mode'] ?? 'standard'
  if (mode !== 'standard') throw unsupported('reasoning.mode', 'it would make more work than is held for.')
}

/** What a request refers to, once it is there. */
export interface Referred {
  /** JSON text of the items of answers, by seed. */
  readonly outputs: ReadonlyMap<string, string>
  /** The turns before it, the first one first. */
  readonly turns: readonly StoredResponse[]
}

/** A request whose shape is known to be right, before what it refers to is there. */
export interface ResponseCall {
  /** Seeds of the answers that it refers to. */
  readonly seeds: readonly string[]
  /** The response that it goes on from; null for none. */
  readonly previous: string | null
  /** Whether its oldest items may be left out. */
  readonly truncates: boolean
  /** Makes the chat of it. @throws {ServiceError} 400: what cannot be honoured, or what is not there any more. */
  translate(referred: Referred): Promise<TranslatedChat>
}

/**
 * Reads a request in the form of OpenAI's Responses API.
 *
 * @throws {ServiceError} 400: no JSON object, a doubled key, a field of the wrong type, or one that cannot be honoured.
 */
export function parseResponse(text: CountedJson, caller: Pick<Caller, 'storesResponses'>): ResponseCall {
  const value = parseJsonObject(text)
  refuseUnanswerable(value, caller)
  const request = parseBySchema(responseRequest, value)
  spellings.refuse(scanBody(text).keys())
  guard.readFields(value)
  const isStored = caller.storesResponses && request.store !== false
  const previous = textOf(request.previous_response_id)
  return {
    seeds: seedsIn(request),
    previous,
    truncates: request.truncation === 'auto',
    translate: async ({ outputs, turns }) => {
      const own = itemsIn(request.input, itemFinder(outputs))
      const { chat, offered } = chatOf(request, [...turns.flatMap(itemsOfTurn), ...own])
      const asked = { request, offered, isStored }
      return {
        call: await parseTranslated(chat, { names: RESPONSE_FIELDS, bytes: text.length }),
        fields: RESPONSE_FIELDS,
        whole: (json, head) => renderResponse(asked, json, head),
        frames: (head) => new ResponseFrames(asked, head),
        itemsOf: request.store === false ? null : outputIn,
        turnOf: isStored ? (answer) => turnOf(answer, { input: own.map(({ item }) => item), previous }) : null,
      }
    },
  }
}
