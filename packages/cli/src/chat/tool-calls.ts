/** What a model asks its user to run, and what came of it. */
import type { ChatMessage } from '@svc/contract'

/** A call, as the API writes it, with whatever its model has put beside and needs again, such as a signature. */
export interface ToolCall {
  readonly [more: string]: unknown
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

/** Calls of one answer at most that are read. Source: own choice. */
const CALLS_MAX = 128

/** The calls of a whole message. */
export function toolCallsOf(message: object | undefined): readonly ToolCall[] {
  const collected = new ToolCallCollector()
  collected.take(message)
  return collected.calls()
}

/** Puts calls together that come in pieces: each piece says by its index to which it belongs. */
export class ToolCallCollector {
  readonly #calls = new Map<number, { id: string; name: string; arguments: string; more: object }>()

  /** @param message a whole message, or a piece of one. */
  take(message: object | undefined): void {
    const pieces = memberOf(message, 'tool_calls')
    if (!Array.isArray(pieces)) return
    for (const [place, piece] of pieces.entries()) {
      const told = memberOf(piece, 'index')
      const index = typeof told === 'number' ? told : place
      if (!this.#calls.has(index) && this.#calls.size >= CALLS_MAX) continue
      const call = this.#calls.get(index) ?? { id: '', name: '', arguments: '', more: {} }
      const part = memberOf(piece, 'function')
      call.id = textOf(memberOf(piece, 'id')) || call.id
      call.name += textOf(memberOf(part, 'name'))
      call.arguments += textOf(memberOf(part, 'arguments'))
      call.more = { ...call.more, ...moreOf(piece) }
      this.#calls.set(index, call)
    }
  }

  calls(): readonly ToolCall[] {
    return [...this.#calls.entries()]
      .toSorted(([one], [other]) => one - other)
      .map(([, { id, name, arguments: given, more }]) => ({
        ...more,
        ...{ id, type: 'function', function: { name, arguments: given } },
      }))
  }
}

/** What a piece has beside what every call has. */
function moreOf(piece: unknown): object {
  const { index: _index, id: _id, type: _type, function: _function, ...more } = Object(piece) as Record<string, unknown>
  return more
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** What a program reads of a call: its arguments as values, or as the text that the model wrote where that is no JSON. */
export function toolCallForPrograms({ id, function: { name, arguments: given } }: ToolCall): object {
  try {
    return { id, name, arguments: JSON.parse(given) as unknown }
  } catch {
    return { id, name, arguments: given }
  }
}

/** What a call gave, as the message that the model reads. */
export function toolResult(id: string, text: string): ChatMessage {
  return { role: 'tool', tool_call_id: id, content: text }
}

/** The calls that end a conversation without a result; empty where none waits. */
export function openCalls(messages: readonly ChatMessage[]): readonly ToolCall[] {
  const from = messages.findLastIndex(({ role }) => role === 'assistant')
  const answered = new Set(messages.slice(from + 1).map((message) => message['tool_call_id']))
  return toolCallsOf(messages[from]).filter(({ id }) => !answered.has(id))
}
