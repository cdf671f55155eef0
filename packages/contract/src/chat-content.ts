import type { ChatMessage, ChatRequest } from './chat.ts'

/**
 * Says whether a request asks for nothing: no message has text other than white space, another part, or a tool call.
 * Source: spec 1 and 3.5 (a request with no content is an error and free), decision 0008 (no content).
 */
export function isBlankChat(request: Pick<ChatRequest, 'messages'>): boolean {
  return request.messages.every(isBlankMessage)
}

function isBlankMessage(message: ChatMessage): boolean {
  const { content } = message
  if (typeof content === 'string') return content.trim() === '' && !hasToolCalls(message)
  if (content === null || content === undefined) return !hasToolCalls(message)
  return content.every((part) => part.type === 'text' && isBlankText(part['text'])) && !hasToolCalls(message)
}

function isBlankText(text: unknown): boolean {
  return typeof text !== 'string' || text.trim() === ''
}

function hasToolCalls(message: ChatMessage): boolean {
  return (message['tool_calls'] ?? message['function_call'] ?? null) !== null
}
