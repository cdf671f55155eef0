/**
 * Text completions of a server that makes them itself: the chat of one message that a text became is written as that
 * text again. Their answers are read as those of chats are. Source: decision 0123.
 */
import type { UpstreamChatRequest } from '../chat-upstream.ts'
import type { Dialect, TextCompletions } from './dialect.ts'
import { recordsOf } from './json-records.ts'

type Way = Pick<Dialect, 'textCompletions'>

function isServed({ models }: TextCompletions, upstreamModel: string): boolean {
  if (models === null) return true
  return models.some((id) => (id.endsWith('*') ? upstreamModel.startsWith(id.slice(0, -1)) : id === upstreamModel))
}

/** Whether a model fills in the text between a prompt and a suffix. */
export function takesSuffix({ textCompletions: way = null }: Way, upstreamModel: string): boolean {
  return way !== null && way.suffix && isServed(way, upstreamModel)
}

/** How a request is sent as a text; null where it is sent as the chat that it is. */
export function textWayOf(
  { textCompletions: way = null }: Way,
  { completesText = false, upstreamModel }: Pick<UpstreamChatRequest, 'completesText' | 'upstreamModel'>,
): TextCompletions | null {
  return completesText && way !== null && isServed(way, upstreamModel) ? way : null
}

/** What makes the text of a chat again: its prompt for its message, and its logprobs as this form asks for them. */
export function textMembers({ body: { value } }: Pick<UpstreamChatRequest, 'body'>): Map<string, string | null> {
  const [message] = recordsOf(value['messages'])
  const edits = new Map<string, string | null>([
    ['messages', null],
    ['prompt', JSON.stringify(message?.['content'] ?? '')],
  ])
  if (value['logprobs'] !== true) return edits
  edits.set('top_logprobs', null)
  edits.set('logprobs', JSON.stringify(value['top_logprobs'] ?? 0))
  return edits
}
