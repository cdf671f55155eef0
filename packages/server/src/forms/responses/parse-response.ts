import { responseRequest, type ResponseRequest } from '@svc/contract'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { type CountedJson, parseJsonObject, scanBody, SpellingCheck } from '../../pipeline/json-call.ts'
import { WorkGuard } from '../../pipeline/work-guard.ts'
import { fieldsOfServers, pickFields, refuseOthers, requireText, unsupported } from '../../pipeline/refuse-fields.ts'
import { type FieldNames, parseTranslated, recordsOf, type TranslatedChat } from '../translated-chat.ts'
import { type FindItem, itemFinder, outputIn, seedsIn } from './referred-items.ts'
import { renderResponse } from './render-response.ts'
import { ResponseFrames } from './response-frames.ts'
import { messagesOf } from './response-input.ts'

type Fields = Readonly<Record<string, unknown>>

/** Fields that mean the same in a chat. */
const SAME = {
  model: 'model',
  temperature: 'temperature',
  top_p: 'top_p',
  top_logprobs: 'top_logprobs',
  parallel_tool_calls: 'parallel_tool_calls',
  metadata: 'metadata',
  user: 'user',
  safety_identifier: 'safety_identifier',
  prompt_cache_key: 'prompt_cache_key',
  prompt_cache_retention: 'prompt_cache_retention',
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

const TOOL_FIELDS = new Set(['type', 'name', 'description', 'parameters', 'strict'])

function toolsOf(tools: unknown): readonly Fields[] {
  return recordsOf(tools).map((tool, index) => {
    const path = `tools.${index}`
    if (tool['type'] !== 'function') throw unsupported(`${path}.type`, 'only functions of your own can be offered.')
    refuseOthers(tool, TOOL_FIELDS, `${path}.`)
    const more = pickFields(tool, { description: 'description', parameters: 'parameters', strict: 'strict' })
    return { type: 'function', function: { name: requireText(tool, 'name', path), ...more } }
  })
}

function namedTool(tool: Fields, path: string): Fields {
  if (tool['type'] !== 'function') throw unsupported(`${path}.type`, 'only functions of your own can be chosen.')
  return { type: 'function', function: { name: requireText(tool, 'name', path) } }
}

function toolChoiceOf(choice: NonNullable<ResponseRequest['tool_choice']>): unknown {
  if (typeof choice === 'string') return choice
  if (choice.type !== 'allowed_tools') return namedTool(choice, 'tool_choice')
  const allowed = recordsOf(choice['tools']).map((tool, index) => namedTool(tool, `tool_choice.tools.${index}`))
  return { type: 'allowed_tools', allowed_tools: { mode: choice['mode'], tools: allowed } }
}

function responseFormatOf(format: Fields): Fields {
  const { type, ...schema } = format
  if (type !== 'json_schema') {
    refuseOthers(schema, new Set(), 'text.format.')
    return { type }
  }
  refuseOthers(schema, new Set(['name', 'description', 'schema', 'strict']), 'text.format.')
  const names = { name: 'name', description: 'description', schema: 'schema', strict: 'strict' }
  return { type, json_schema: pickFields(schema, names) }
}

const INCLUDES: ReadonlySet<string> = new Set(['message.output_text.logprobs', 'reasoning.encrypted_content'])

function refuseUnanswerable(request: ResponseRequest): void {
  refuseOthers(request, known, '', guard)
  refuseOthers(request.text ?? {}, new Set(['format', 'verbosity']), 'text.')
  refuseOthers(request.reasoning ?? {}, new Set(['effort', 'summary', 'generate_summary']), 'reasoning.')
  refuseOthers(request.stream_options ?? {}, new Set(['include_obfuscation']), 'stream_options.')
  const other = request.include?.findIndex((name) => !INCLUDES.has(name)) ?? -1
  if (other !== -1) throw unsupported(`include.${other}`)
}

function chatOf(request: ResponseRequest, findItem: FindItem): Fields {
  const { tools, tool_choice: choice, text, reasoning, top_logprobs: logprobs } = request
  const wantsLogprobs = (logprobs ?? 0) > 0 || request.include?.includes('message.output_text.logprobs') === true
  return {
    ...fieldsOfServers(request, known, guard),
    ...pickFields(request, SAME),
    messages: messagesOf(request, findItem),
    ...(tools === null || tools === undefined || tools.length === 0 ? {} : { tools: toolsOf(tools) }),
    ...(choice === null || choice === undefined ? {} : { tool_choice: toolChoiceOf(choice) }),
    ...(text?.format === null || text?.format === undefined ? {} : { response_format: responseFormatOf(text.format) }),
    ...pickFields(text ?? {}, { verbosity: 'verbosity' }),
    ...pickFields(reasoning ?? {}, { effort: 'reasoning_effort' }),
    ...(wantsLogprobs ? { logprobs: true } : {}),
    ...(request.stream === true ? { stream_options: { include_usage: true } } : {}),
  }
}

/** Fields that only a service which keeps answers could honour, with the values that ask for nothing. */
const keptFields: Readonly<Record<string, readonly unknown[]>> = {
  store: [false],
  background: [false],
  truncation: ['disabled'],
}

function refuseKeeping(value: Fields): void {
  for (const [name, harmless] of Object.entries(keptFields)) {
    const sent = value[name]
    if (sent === undefined || sent === null || harmless.includes(sent)) continue
    throw unsupported(name, `only ${JSON.stringify(harmless[0])} can be answered, since nothing is kept.`)
  }
}

/** A request whose shape is known to be right, before what it refers to is there. */
export interface ResponseCall {
  /** Seeds of the answers that it refers to. */
  readonly seeds: readonly string[]
  /**
   * Makes the chat of it.
   * @param outputs JSON text of the items of answers, by seed.
   * @throws {ServiceError} 400: what cannot be honoured, or what is not there any more.
   */
  translate(outputs: ReadonlyMap<string, string>): TranslatedChat
}

/**
 * Reads a request in the form of OpenAI's Responses API.
 *
 * @throws {ServiceError} 400: no JSON object, a doubled key, a field of the wrong type, or one that cannot be honoured.
 */
export function parseResponse(text: CountedJson): ResponseCall {
  const value = parseJsonObject(text)
  refuseKeeping(value)
  const request = parseBySchema(responseRequest, value)
  spellings.refuse(scanBody(text).keys())
  guard.readFields(value)
  refuseUnanswerable(request)
  return {
    seeds: seedsIn(request),
    translate: (outputs) => ({
      call: parseTranslated(chatOf(request, itemFinder(outputs)), RESPONSE_FIELDS),
      fields: RESPONSE_FIELDS,
      whole: (json, head) => renderResponse(request, json, head),
      frames: (head) => new ResponseFrames(request, head),
      itemsOf: request.store === false ? null : outputIn,
    }),
  }
}
