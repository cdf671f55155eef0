import type { ChatMessage } from '@svc/contract'

/** A conversation as this machine keeps it. Times in milliseconds since the epoch. */
export interface Conversation {
  readonly id: string
  /** The gateway that has seen it: it is never sent to another one. */
  readonly baseUrl: string
  readonly model: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly messages: readonly ChatMessage[]
  /** What the model may call; empty where nothing. */
  readonly tools: readonly object[]
}

const TITLE_LENGTH = 60

/** Its first question, on one line. */
export function conversationTitle({ messages }: Pick<Conversation, 'messages'>): string {
  const first = messages.find(({ role }) => role === 'user')
  const text = first === undefined ? '' : messageText(first).replaceAll(/\s+/g, ' ').trim()
  return text.length <= TITLE_LENGTH ? text : `${text.slice(0, TITLE_LENGTH - 1)}…`
}

/** A message as a person reads it: what is no text is named, such as `[image_url]`. */
export function messageText({ content, tool_calls: calls }: ChatMessage): string {
  const said =
    typeof content === 'string'
      ? content
      : (content ?? []).map((part) => (typeof part['text'] === 'string' ? part['text'] : `[${part.type}]`)).join('\n\n')
  if (!Array.isArray(calls) || calls.length === 0) return said
  return [said, ...calls.map((call) => JSON.stringify(call))].filter(Boolean).join('\n\n')
}

/** The whole conversation, as Markdown. */
export function conversationMarkdown(messages: readonly ChatMessage[]): string {
  return messages.map((message) => `## ${message.role}\n\n${messageText(message)}\n`).join('\n')
}
