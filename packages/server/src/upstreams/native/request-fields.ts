/** What the native adapters read of a chat request beside its messages, and the refusal of what their APIs lack. */
import { ownMember } from '@svc/contract'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { UpstreamChatRequest } from '../chat-upstream.ts'
import { isObject } from '../openai-compatible/usage.ts'
import { FieldTable } from '../work-fields/field-table.ts'

export type Json = Readonly<Record<string, unknown>>

/** @returns the 400 for something that the API of this model cannot do. */
export function unsupported(param: string, reason: string): ServiceError {
  return new ServiceError('unsupported_parameter', `Unsupported for this model: '${param}'. ${reason}`, { param })
}

/** @returns the 400 for a value that cannot be read. */
export function invalid(param: string, expected: string): ServiceError {
  return new ServiceError('invalid_value', `Invalid value for '${param}': expected ${expected}.`, { param })
}

const READ = [
  'model',
  'messages',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'n',
  'stop',
  'tools',
  'tool_choice',
  'functions',
  'function_call',
  'temperature',
  'top_p',
  'top_k',
  'response_format',
  'reasoning_effort',
  'reasoning',
  'include_reasoning',
  'parallel_tool_calls',
] as const

/** Hints and book-keeping: an answer without them is as right as with them. */
const HINTS = [
  'user',
  'metadata',
  'store',
  'seed',
  'service_tier',
  'verbosity',
  'prediction',
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
  'session_id',
  'usage',
  // Read where the API has it.
  'cache_control',
] as const

const known: ReadonlySet<string> = new Set([...READ, ...HINTS])

/** Values that ask for nothing, as JSON text. */
const neutral: Readonly<Record<string, string>> = {
  frequency_penalty: '0',
  presence_penalty: '0',
  repetition_penalty: '1',
  min_p: '0',
  top_a: '0',
  logprobs: 'false',
  top_logprobs: '0',
  logit_bias: '{}',
  modalities: '["text"]',
}

/** Fields of other servers that bound the work or say how it is done: an answer without them is as right. */
const servers = new FieldTable('chat')
const serverKinds: ReadonlySet<unknown> = new Set([
  'limit',
  'budget',
  'beside',
  'least',
  'endless',
  'harmless',
  'holder',
])

/**
 * Refuses every parameter that has no place in an API: to leave it out would change what the answer means.
 *
 * @param more names that this API knows beside the common ones.
 * @throws {ServiceError} `unsupported_parameter`.
 */
export function refuseUnknown(value: Json, more: readonly string[]): void {
  for (const [name, given] of Object.entries(value)) {
    if (given === null || given === undefined || known.has(name) || more.includes(name)) continue
    if (serverKinds.has(servers.kindOf(name))) continue
    const harmless = ownMember(neutral, name)
    if (harmless !== undefined && JSON.stringify(given) === harmless) continue
    throw unsupported(name.slice(0, 64), 'Leave it out, or choose another model.')
  }
}

/** The limit on output tokens to send; null when neither the client nor the gateway sets one. */
export function outputLimit({ maxTokens, body: { value } }: UpstreamChatRequest): number | null {
  const asked = value['max_completion_tokens'] ?? value['max_tokens']
  return maxTokens ?? (typeof asked === 'number' ? asked : null)
}

/** Stop sequences; empty when there are none. */
export function readStops(value: Json): readonly unknown[] {
  const { stop } = value
  if (Array.isArray(stop)) return stop
  return typeof stop === 'string' ? [stop] : []
}

/** The members of an object that have a value. */
export function present(members: Json): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null))
}

export interface ReasoningWish {
  /** Null where only a budget or nothing more is said. */
  readonly effort: string | null
  /** In tokens. */
  readonly budget: number | null
  readonly isOff: boolean
  /** The client wants reasoning and not to see it. */
  readonly isHidden: boolean
}

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

/**
 * What the client says about reasoning, in OpenAI's field or in OpenRouter's object; null when nothing.
 * @throws {ServiceError} `invalid_value`.
 */
export function readReasoning(value: Json): ReasoningWish | null {
  const asked = value['reasoning'] ?? null
  const object = isObject(asked) ? asked : {}
  if (asked !== null && !isObject(asked)) throw invalid('reasoning', 'an object')
  const effort = object['effort'] ?? value['reasoning_effort'] ?? null
  const budget = object['max_tokens'] ?? null
  if (effort !== null && (typeof effort !== 'string' || !EFFORTS.includes(effort))) {
    throw invalid(object['effort'] === undefined ? 'reasoning_effort' : 'reasoning.effort', EFFORTS.join(', '))
  }
  if (budget !== null && (typeof budget !== 'number' || !Number.isSafeInteger(budget) || budget < 0)) {
    throw invalid('reasoning.max_tokens', 'a whole number of tokens')
  }
  const isOff = effort === 'none' || budget === 0 || object['enabled'] === false
  const isWanted = object['enabled'] === true || value['include_reasoning'] === true
  if (effort === null && budget === null && !isOff && !isWanted) return null
  return { effort, budget, isOff, isHidden: object['exclude'] === true || value['include_reasoning'] === false }
}

export interface ToolOffer {
  readonly name: string
  readonly description: unknown
  /** JSON schema; null for a tool without arguments. */
  readonly parameters: unknown
  readonly strict: unknown
  readonly cacheControl: unknown
}

/** What the model is offered, and what of it is to be called. */
export interface ToolUse {
  readonly tools: readonly ToolOffer[]
  readonly choice: ToolChoice | null
}

/**
 * Reads the tools with the choice among them. These APIs have no list of tools that are offered and not allowed: only
 * those that are allowed are offered.
 *
 * @throws {ServiceError} 400 for what cannot be read, and where a call is demanded and none is allowed.
 */
export function readToolUse(value: Json): ToolUse {
  const tools = readTools(value)
  const choice = value['tool_choice']
  if (tools.length === 0) return { tools, choice: null }
  if (!isObject(choice) || choice['type'] !== 'allowed_tools') return { tools, choice: readToolChoice(value) }
  const { mode, tools: list } = isObject(choice['allowed_tools']) ? choice['allowed_tools'] : choice
  if (mode !== 'auto' && mode !== 'required') throw invalid('tool_choice.allowed_tools.mode', 'auto or required')
  if (!Array.isArray(list)) throw invalid('tool_choice.allowed_tools.tools', 'a list of functions')
  const names = new Set(list.map(chosenName))
  const allowed = tools.filter(({ name }) => names.has(name))
  if (allowed.length > 0) return { tools: allowed, choice: mode }
  if (mode === 'auto') return { tools, choice: 'none' }
  throw invalid('tool_choice.allowed_tools.tools', 'a function among the tools')
}

/** The function that a choice of tools names; null for none. */
function chosenName(choice: unknown): string | null {
  const holder = isObject(choice) && isObject(choice['function']) ? choice['function'] : choice
  const name = isObject(holder) ? holder['name'] : null
  return typeof name === 'string' ? name : null
}

/** The tools of a request, and its functions in the old form. @throws {ServiceError} 400 for a tool that is no function. */
function readTools(value: Json): readonly ToolOffer[] {
  const listOf = (name: string): readonly unknown[] => (Array.isArray(value[name]) ? value[name] : [])
  const tools = listOf('tools').map((tool, index) => {
    const offered = isObject(tool) && isObject(tool['function']) ? tool['function'] : null
    if (!isObject(tool) || offered === null) throw unsupported(`tools.${index}.type`, 'Only functions can be offered.')
    return readFunction(offered, `tools.${index}.function`, tool['cache_control'])
  })
  const functions = listOf('functions').map((offered, index) => {
    if (!isObject(offered)) throw invalid(`functions.${index}`, 'a function')
    return readFunction(offered, `functions.${index}`)
  })
  return [...tools, ...functions]
}

function readFunction(offered: Json, param: string, cacheControl: unknown = null): ToolOffer {
  const { name, description, parameters = null, strict } = offered
  if (typeof name !== 'string' || name === '') throw invalid(`${param}.name`, 'a name')
  return { name, description, parameters, strict, cacheControl: cacheControl ?? offered['cache_control'] }
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string }

/**
 * What is to be called, in the form of tools or in the old one.
 *
 * @throws {ServiceError} 400 for a choice that is neither a word nor one function.
 */
function readToolChoice(value: Json): ToolChoice | null {
  const isOld = (value['tool_choice'] ?? null) === null
  const choice = (isOld ? value['function_call'] : value['tool_choice']) ?? null
  if (choice === null || choice === 'auto' || choice === 'none' || choice === 'required') return choice
  const holder = isObject(choice) && !isOld ? choice['function'] : choice
  const named = isObject(holder) ? holder['name'] : null
  if (typeof named === 'string') return { name: named }
  throw unsupported(isOld ? 'function_call' : 'tool_choice', 'Give auto, none, required or one function.')
}

export type AnswerFormat = { readonly kind: 'object' } | { readonly kind: 'schema'; readonly schema: unknown }

/** What the answer shall be; null for text. @throws {ServiceError} 400. */
export function readFormat(value: Json): AnswerFormat | null {
  const format = value['response_format'] ?? null
  if (format === null) return null
  const type = isObject(format) ? format['type'] : null
  if (type === 'text') return null
  if (type === 'json_object') return { kind: 'object' }
  const described = isObject(format) && isObject(format['json_schema']) ? format['json_schema'] : null
  if (type === 'json_schema' && isObject(described?.['schema'])) return { kind: 'schema', schema: described['schema'] }
  throw invalid('response_format', 'text, json_object, or json_schema with a schema')
}
