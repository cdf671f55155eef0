import { textOf } from '../translated-chat.ts'

type Fields = Readonly<Record<string, unknown>>
export type Message = Record<string, unknown>

/** Puts the messages of a chat together. What one answer of the model was, in several items, is one message again. */
export class MessageList {
  readonly all: Message[] = []

  add(message: Message): void {
    this.all.push(message)
  }

  /** The message of the assistant that the next item belongs to. @param fits says whether that is the last one. */
  #open(fits: (message: Message) => boolean): Message {
    const last = this.all.at(-1)
    if (last?.['role'] === 'assistant' && fits(last)) return last
    const message: Message = { role: 'assistant' }
    this.all.push(message)
    return message
  }

  addReasoning(text: string): void {
    const message = this.#open((last) => !('content' in last) && !('tool_calls' in last))
    message['reasoning_content'] = `${textOf(message['reasoning_content']) ?? ''}${text}`
  }

  /** They may come behind the call that they belong to, and name it themselves. */
  addDetails(details: readonly Fields[]): void {
    const all = (this.#open(() => true)['reasoning_details'] ??= []) as Fields[]
    for (const detail of details) all.push(detail)
  }

  addAssistant(content: unknown): void {
    this.#open((last) => !('content' in last) && !('tool_calls' in last))['content'] = content
  }

  addCall(call: Fields): void {
    const message = this.#open(() => true)
    const calls = (message['tool_calls'] ??= []) as Fields[]
    calls.push(call)
  }
}
