/** Whole answers and errors of Anthropic's Messages API, in OpenAI's shape. */
import { ownMember } from '@svc/contract'
import { parseExactly } from '../../platform/json/exact-json.ts'
import { parseJsonText } from '../../platform/json/parse-json.ts'
import { count, type NativeUsage, REFUSED, wireUsage } from '../native/native-speech.ts'
import { type Json, present } from '../native/request-fields.ts'
import { isObject, tokens } from '../openai-compatible/usage.ts'
import { placeMember } from '../thought-place.ts'
import { ANTHROPIC_FORMAT } from './anthropic-format.ts'

const finishReasons: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
}

/** Null until the answer ends; an unknown reason is an ordinary end. */
export function finishReasonOf(stopReason: unknown): string | null {
  return typeof stopReason === 'string' ? (ownMember(finishReasons, stopReason) ?? 'stop') : null
}

/** The stop sequence that ended the answer, as a member of its choice; empty for another end. */
export function stopMemberOf({ stop_reason: reason, stop_sequence: stop }: Json): Json {
  return reason === 'stop_sequence' && typeof stop === 'string' ? { stop_reason: stop } : {}
}

/** Input is counted apart from what was read from the cache and written to it; the prompt is the sum of the three. */
export function readAnthropicUsage(usage: Json): NativeUsage {
  const cachedTokens = count(usage['cache_read_input_tokens'])
  const cacheWriteTokens = count(usage['cache_creation_input_tokens'])
  const details = isObject(usage['output_tokens_details']) ? usage['output_tokens_details'] : {}
  const written = isObject(usage['cache_creation']) ? usage['cache_creation'] : {}
  const input = tokens(usage['input_tokens'])
  const completionTokens = tokens(usage['output_tokens'])
  return {
    promptTokens: input === null ? null : input + cachedTokens + cacheWriteTokens,
    completionTokens,
    cachedTokens,
    cacheWriteTokens,
    cacheWriteLongTokens: Math.min(count(written['ephemeral_1h_input_tokens']), cacheWriteTokens),
    reasoningTokens: Math.min(count(details['thinking_tokens']), completionTokens ?? 0),
  }
}

/** Statuses of the types of errors, which have none in streams. Source: Anthropic's API reference, "Errors". */
const statuses: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
}

/** Bad requests that are more than that, by their sentences: the API has no word for them. */
const sentences: readonly (readonly [RegExp, string])[] = [
  [/prompt is too long|exceeds? (?:the )?context (?:limit|window)/i, 'context_length_exceeded'],
  [/credit balance is too low/i, 'insufficient_quota'],
  [/content filtering policy/i, 'content_policy_violation'],
]

/** An error in OpenAI's shape; null when the value is none. */
export function readAnthropicError(value: Json): Json | null {
  if (value['type'] !== 'error' && !isObject(value['error'])) return null
  const { type, message } = isObject(value['error']) ? value['error'] : {}
  const text = typeof message === 'string' ? message : ''
  const word = sentences.find(([sentence]) => sentence.test(text))?.[1]
  const status = ownMember(statuses, type)
  return { error: present({ message: text, code: word, type, http_status: status }) }
}

/** The text of a value; empty for one that is none. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function readReasoning(blocks: readonly Json[]): Json {
  const past = { text: 0, calls: 0 }
  const details = blocks.flatMap(({ type, thinking, signature, data, text }, index): readonly Json[] => {
    if (type === 'text') past.text += textOf(text).length
    if (type === 'tool_use') past.calls += 1
    const common = { format: ANTHROPIC_FORMAT, index, ...placeMember(past) }
    if (type === 'thinking') return [{ type: 'reasoning.text', text: thinking, ...present({ signature }), ...common }]
    return type === 'redacted_thinking' ? [{ type: 'reasoning.encrypted', data, ...common }] : []
  })
  const text = blocks.map(({ type, thinking }) => (type === 'thinking' ? textOf(thinking) : '')).join('')
  return {
    ...(text === '' ? {} : { reasoning_content: text }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
  }
}

function readMessage(blocks: readonly Json[]): Json {
  const texts = blocks.filter(({ type }) => type === 'text').map(({ text }) => textOf(text))
  const calls = blocks
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, name, input }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(input ?? {}) },
    }))
  return {
    role: 'assistant',
    content: texts.length === 0 ? null : texts.join(''),
    ...readReasoning(blocks),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}

/** Reads an answer; undefined when it is no JSON, and as it came when it is neither answer nor error. */
export function readAnthropicAnswer(text: Buffer): unknown {
  const value = parseJsonText(text, parseExactly)
  if (!isObject(value)) return value
  const error = readAnthropicError(value)
  if (error !== null) return error
  if (!Array.isArray(value['content'])) return {}
  const blocks = value['content'].filter(isObject)
  const finishReason = finishReasonOf(value['stop_reason']) ?? 'stop'
  const usage = isObject(value['usage']) ? { usage: wireUsage(readAnthropicUsage(value['usage'])) } : {}
  if (finishReason === 'content_filter' && blocks.length === 0) return { ...REFUSED, ...usage }
  const choices = [{ index: 0, message: readMessage(blocks), finish_reason: finishReason, ...stopMemberOf(value) }]
  return { model: value['model'], choices, ...usage }
}
