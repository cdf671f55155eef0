/** The object `message` of the Messages form, and its parts. Pure. */
import { ownMember, errorCodes } from '@svc/contract'
import { isFirst, type PlacedThought, placeOf } from '../../upstreams/thought-place.ts'
import { sealDetail } from '../carried-state.ts'
import { type AnswerHead, countOf, recordOf, recordsOf, textOf } from '../translated-chat.ts'

type Fields = Readonly<Record<string, unknown>>

const stopReasons: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
}

/** Why an answer ended, in the words of this form. */
export interface MessageEnd {
  readonly stop_reason: string
  /** The sequence of the client that ended it; null for every other end, and where the upstream does not say which. */
  readonly stop_sequence: string | null
}

/** @param stop the sequence that ended a chat's choice, as far as its upstream has named it. */
export function messageEnd(finishReason: unknown, stop: unknown): MessageEnd {
  const sequence = finishReason === 'stop' ? textOf(stop) : null
  if (sequence !== null) return { stop_reason: 'stop_sequence', stop_sequence: sequence }
  return { stop_reason: ownMember(stopReasons, finishReason) ?? 'end_turn', stop_sequence: null }
}

/** Counts of a chat: here tokens that were read from a cache or written to one are counted apart. */
export function usageOf(usage: Fields): Fields {
  const details = recordOf(usage['prompt_tokens_details'])
  const read = countOf(details['cached_tokens'])
  const written = countOf(details['cache_write_tokens'])
  const long = Math.min(countOf(details['cache_write_1h_tokens']), written)
  const reasoning = countOf(recordOf(usage['completion_tokens_details'])['reasoning_tokens'])
  return {
    input_tokens: Math.max(0, countOf(usage['prompt_tokens']) - read - written),
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    ...(long > 0
      ? { cache_creation: { ephemeral_5m_input_tokens: written - long, ephemeral_1h_input_tokens: long } }
      : {}),
    output_tokens: countOf(usage['completion_tokens']),
    output_tokens_details: { thinking_tokens: reasoning },
    ...('cost' in usage ? { cost: usage['cost'] } : {}),
  }
}

/** Makes the object. @param answer.end null while the answer is being made. */
export function messageObject(
  model: string,
  head: AnswerHead,
  answer: { readonly content: readonly Fields[]; readonly end: MessageEnd | null; readonly usage: Fields },
): Fields {
  return {
    id: `msg_${head.requestId.replaceAll('-', '')}`,
    type: 'message',
    role: 'assistant',
    model,
    content: answer.content,
    stop_reason: answer.end?.stop_reason ?? null,
    stop_sequence: answer.end?.stop_sequence ?? null,
    usage: answer.usage,
  }
}

/** What upstreams call the form of Anthropic's own reasoning. Source: OpenRouter, `reasoning_details`. */
export const REASONING_FORMAT = 'anthropic-claude-v1'

/**
 * What upstreams add to the text of reasoning so that it can be sent back: its signature, or all of it sealed. That of
 * other models than Anthropic's is sealed here with what they need beside it.
 */
export function sealsOf(message: Fields): { readonly signature: string; readonly redacted: readonly string[] } {
  const details = recordsOf(message['reasoning_details'])
  const own = details.filter(isOwnFormat)
  return {
    signature: own.map((detail) => textOf(detail['signature']) ?? '').join(''),
    redacted: details.flatMap(redactedOf),
  }
}

/**
 * Blocks of reasoning in which each thought has its own signature: it signs that thought alone. Empty where there is
 * one before everything else, or where upstreams give the text apart from what signs it.
 */
export function signedThoughts(message: Fields): readonly PlacedThought<Fields>[] {
  const details = recordsOf(message['reasoning_details'])
  const thoughts = details.filter((detail) => isOwnFormat(detail) && detail['type'] === 'reasoning.text')
  const isEachSigned = thoughts.every(({ text, signature }) => textOf(text) !== null && textOf(signature) !== null)
  const isInOrder = thoughts.length < 2 && details.every((detail) => isFirst(placeOf(detail)))
  if (isInOrder || !isEachSigned) return []
  return details.flatMap((detail): readonly PlacedThought<Fields>[] => {
    const { type, text, signature } = detail
    const place = placeOf(detail)
    if (isOwnFormat(detail) && type === 'reasoning.text') {
      return [{ item: { type: 'thinking', thinking: text, signature }, place }]
    }
    return redactedOf(detail).map((data) => ({ item: { type: 'redacted_thinking', data }, place }))
  })
}

/** What goes back of a detail that its model alone can read; empty for any other. */
function redactedOf(detail: Fields): readonly string[] {
  if (isOwnFormat(detail) && detail['type'] !== 'reasoning.encrypted') return []
  const sealed = isOwnFormat(detail) ? textOf(detail['data']) : isNeededAgain(detail) ? sealDetail(detail) : null
  return sealed === null ? [] : [sealed]
}

function isOwnFormat({ format }: Fields): boolean {
  return format === undefined || format === null || format === REASONING_FORMAT
}

function isNeededAgain({ type, signature }: Fields): boolean {
  return type === 'reasoning.encrypted' || textOf(signature) !== null
}

/** The type of an error in this form. Source: Anthropic, errors. */
const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  502: 'api_error',
  503: 'overloaded_error',
  504: 'timeout_error',
}

/** How the API begins its sentence about a prompt that its model cannot take: Claude Code shortens its history by it. */
const TOO_LONG = 'prompt is too long'

function messageOf({ code, message }: Fields): Fields {
  if (code !== 'context_length_exceeded' || typeof message !== 'string') return {}
  return message.toLowerCase().startsWith(TOO_LONG) ? {} : { message: `${TOO_LONG}: ${message}` }
}

/** Writes an error of the gateway in this form; its code and further facts come along. */
export function messageError(error: Fields): Fields {
  const type = errorTypes[ownMember(errorCodes, error['code'])?.status ?? 500] ?? 'invalid_request_error'
  return { type: 'error', error: { ...error, ...messageOf(error), type } }
}
