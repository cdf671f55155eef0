/** Why a choice has ended, in OpenAI's words: clients act by them, and strict ones read no other. */
import { ownMember } from '@svc/contract'
import { isRefusalWord } from '../find-refusal.ts'

const KNOWN: ReadonlySet<string> = new Set([
  ...['stop', 'length', 'tool_calls', 'content_filter', 'function_call'],
  // Says that the choice has failed, and is read as that.
  'error',
])

/** Words of other APIs, without case. Sources: the API references of Anthropic, Gemini, Cohere, Mistral and DeepSeek. */
const others: Readonly<Record<string, string>> = {
  max_tokens: 'length',
  max_length: 'length',
  model_length: 'length',
  model_context_window_exceeded: 'length',
  insufficient_system_resource: 'length',
  tool_use: 'tool_calls',
  tool_call: 'tool_calls',
}

/**
 * Why a choice has ended; null where it has not. Some servers write an empty word until then. An unknown word says
 * that it ended.
 */
export function readFinishReason(choice: Readonly<Record<string, unknown>>): string | null {
  const { finish_reason: reason } = choice
  if (typeof reason !== 'string' || reason === '') return null
  if (KNOWN.has(reason)) return reason
  if (isRefusalWord(reason)) return 'content_filter'
  return ownMember(others, reason.toLowerCase()) ?? 'stop'
}

/**
 * The same, by what the choice has said: one that calls tools has ended to have them called, whatever its server says,
 * unless it was cut. Agents stop at any other word.
 */
export function finishWithCalls<Reason extends string | null>(reason: Reason, hasCalls: boolean): Reason | string {
  if (hasCalls) return reason === 'stop' ? 'tool_calls' : reason
  return reason === 'tool_calls' ? 'stop' : reason
}

/** Under which names servers say which sequence ended a choice. Sources: vLLM and SGLang; a number there is a token. */
const STOP_NAMES = ['stop_reason', 'matched_stop'] as const

/**
 * The stop sequence that ended a choice, as a member of it; empty where the server names none, or none of the
 * request's: models end at words of their own, too.
 *
 * @param stops of the request.
 */
export function stopMember(
  choice: Readonly<Record<string, unknown>>,
  stops: readonly string[],
): { readonly stop_reason?: string } {
  if (stops.length === 0 || readFinishReason(choice) !== 'stop') return {}
  const named = STOP_NAMES.map((name) => choice[name]).find((stop) => stops.some((each) => each === stop))
  return typeof named === 'string' ? { stop_reason: named } : {}
}
