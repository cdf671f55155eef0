/** The parts of a text completion, made of those of a chat. Source: OpenAI's API reference, "Completions". */
import type { CompletionRequest } from '@svc/contract'
import { countOf, listsBeside, reasoningOf, recordOf, recordsOf, textOf } from '../translated-chat.ts'

type Fields = Readonly<Record<string, unknown>>

/** The text before each answer of a prompt: the prompt itself where the client wants it again. */
export function echoOf({ echo, prompt, n }: CompletionRequest, index: number): string {
  if (echo !== true) return ''
  return typeof prompt === 'string' ? prompt : (prompt[Math.floor(index / (n ?? 1))] ?? '')
}

/** Why a text ended. This form knows no calls. */
export function endOf(finishReason: unknown): string | null {
  const reason = textOf(finishReason)
  return reason === null || reason === 'length' || reason === 'content_filter' ? reason : 'stop'
}

/** The stop sequence that ended a chat's choice, as the choice says it; empty where it says none. */
export function stopOf(choice: Fields): Fields {
  return 'stop_reason' in choice ? { stop_reason: choice['stop_reason'] } : {}
}

/** The text of a message or of a piece of one: also a refusal is what the model said. */
export function textIn(message: Fields): string {
  return textOf(message['content']) ?? textOf(message['refusal']) ?? ''
}

/**
 * Reasoning, notes and images have no place in this form, so they stand beside the text. Source: OpenRouter,
 * `choices[].reasoning`.
 */
export function besideText(message: Fields): Fields {
  const reasoning = reasoningOf(message)
  return { ...(reasoning === null ? {} : { reasoning }), ...listsBeside(message) }
}

/** The tokens of a text as this form lists them; null where a chat lists none. @param offset of the first of them. */
export function logprobsIn(logprobs: unknown, offset: number): Fields | null {
  const tokens = recordsOf(recordOf(logprobs)['content'])
  if (tokens.length === 0) return null
  const texts = tokens.map((token) => textOf(token['token']) ?? '')
  const offsets: number[] = []
  let at = offset
  for (const text of texts) {
    offsets.push(at)
    at += lengthOf(text)
  }
  return {
    tokens: texts,
    token_logprobs: tokens.map((token) => countOf(token['logprob'])),
    top_logprobs: tokens.map((token) => topOf(recordsOf(token['top_logprobs']))),
    text_offset: offsets,
  }
}

/** Characters as clients in other languages count them: code points. */
export function lengthOf(text: string): number {
  return [...text].length
}

function topOf(alternatives: readonly Fields[]): Fields {
  return Object.fromEntries(alternatives.map((each) => [textOf(each['token']) ?? '', countOf(each['logprob'])]))
}

/** What identifies a text completion, from the chat that it was. */
export function headOf(chat: Fields): Fields {
  const id = (textOf(chat['id']) ?? '').replace(/^chatcmpl-/, '')
  const fingerprint = textOf(chat['system_fingerprint'])
  return {
    ...{ id: `cmpl-${id}`, object: 'text_completion', created: chat['created'], model: chat['model'] },
    ...(fingerprint === null ? {} : { system_fingerprint: fingerprint }),
  }
}
