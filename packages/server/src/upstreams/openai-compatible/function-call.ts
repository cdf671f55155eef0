/**
 * The old form of tools: a request offers `functions`, and an answer has one `function_call`, without an id. APIs of
 * their own know tools alone, so such a request is written with tools, and its answer comes back in the form in which
 * its client reads it. Some servers answer a request with tools in the old form: its client gets a tool call. Source:
 * OpenAI's API reference, "functions (deprecated)".
 */
import type { UpstreamChatRequest } from '../chat-upstream.ts'
import { isObject } from './usage.ts'

type Json = Readonly<Record<string, unknown>>

/** Whether a request offers functions in the old form, and no tools. */
export function offersFunctions({ body: { value } }: Pick<UpstreamChatRequest, 'body'>): boolean {
  const { functions, tools } = value
  const isList = (list: unknown): boolean => Array.isArray(list) && list.length > 0
  return isList(functions) && !isList(tools)
}

/**
 * An answer, or a chunk of one, with its first call in the old form. The form has no place for further calls, which
 * APIs are told not to make where they can be told.
 */
export function withFunctionCall(value: Json): Record<string, unknown> {
  if (!Array.isArray(value['choices'])) return value
  return {
    ...value,
    choices: value['choices'].map((choice: unknown) => (isObject(choice) ? ofChoice(choice) : choice)),
  }
}

function ofChoice({ finish_reason: reason, ...choice }: Json): Json {
  const name = isObject(choice['message']) ? 'message' : 'delta'
  const speech = choice[name]
  const end = { finish_reason: reason === 'tool_calls' ? 'function_call' : reason }
  if (!isObject(speech) || !Array.isArray(speech['tool_calls'])) return { ...choice, ...end }
  const { tool_calls: calls, ...said } = speech
  const first = (calls as readonly unknown[]).find((call, at) => isObject(call) && (call['index'] ?? at) === 0)
  const called = isObject(first) && isObject(first['function']) ? { function_call: first['function'] } : {}
  return { ...choice, [name]: { ...said, ...called }, ...end }
}

/** An answer, or a chunk of one, with what it calls in the old form as a call of a tool. */
export function withToolCall(value: Json): Record<string, unknown> {
  const { choices } = value
  if (!Array.isArray(choices) || !choices.some(callsInOldForm)) return value
  return { ...value, choices: choices.map((choice: unknown) => (isObject(choice) ? withTool(choice) : choice)) }
}

function callsInOldForm(choice: unknown): boolean {
  if (!isObject(choice)) return false
  const speech = choice['delta'] ?? choice['message']
  return choice['finish_reason'] === 'function_call' || (isObject(speech) && isObject(speech['function_call']))
}

function withTool({ finish_reason: reason, ...choice }: Json): Json {
  const end = reason === undefined ? {} : { finish_reason: reason === 'function_call' ? 'tool_calls' : reason }
  const name = isObject(choice['message']) ? 'message' : 'delta'
  const speech = choice[name]
  if (!isObject(speech) || !isObject(speech['function_call'])) return { ...choice, ...end }
  const { function_call: named, ...said } = speech
  // There is one at most, so that all its pieces have one number.
  const calls = Array.isArray(said['tool_calls']) ? {} : { tool_calls: [{ index: 0, function: named }] }
  return { ...choice, [name]: { ...said, ...calls }, ...end }
}
