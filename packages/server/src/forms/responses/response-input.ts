/** The items of a Responses request as the messages of a chat. Pure. */
import { ownMember, MESSAGE_PARTS_MAX, type ResponseRequest } from '@svc/contract'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { pickFields, refuseOthers, requireText, unsupported } from '../../pipeline/refuse-fields.ts'
import { openDetail, readIdWithState } from '../carried-state.ts'
import { recordOf, recordsOf, textOf } from '../translated-chat.ts'
import { type FindItem, referenceOf } from './referred-items.ts'

type Fields = Readonly<Record<string, unknown>>
type Message = Record<string, unknown>

const REFERENCE =
  "the item is not here, or not any more: items are kept for a day unless 'store' is false, for the key that asked. " +
  "Send the item itself, as clients do with 'store: false'."

function imagePart(part: Fields, path: string): Fields {
  refuseOthers(part, new Set(['type', 'image_url', 'detail']), `${path}.`)
  return {
    type: 'image_url',
    image_url: { url: requireText(part, 'image_url', path), ...pickFields(part, { detail: 'detail' }) },
  }
}

function filePart(part: Fields, path: string): Fields {
  refuseOthers(part, new Set(['type', 'file_data', 'filename']), `${path}.`)
  const file = { file_data: requireText(part, 'file_data', path), ...pickFields(part, { filename: 'filename' }) }
  return { type: 'file', file }
}

function textPart(part: Fields, path: string): Fields {
  // An answer's annotations and logprobs come back with it; they are about the text, and no part of it.
  refuseOthers(part, new Set(['type', 'text', 'annotations', 'logprobs']), `${path}.`)
  return { type: 'text', text: requireText(part, 'text', path) }
}

const parts: Readonly<Record<string, (part: Fields, path: string) => Fields>> = {
  input_text: textPart,
  output_text: textPart,
  input_image: imagePart,
  input_file: filePart,
  input_audio: (part) => part,
  refusal: (part, path) => ({ type: 'refusal', refusal: requireText(part, 'refusal', path) }),
}

function contentOf(content: unknown, path: string): unknown {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) {
    throw new ServiceError('invalid_value', `Invalid value for '${path}': expected string or array.`, { param: path })
  }
  if (content.length > MESSAGE_PARTS_MAX) {
    const message = `Invalid value for '${path}': expected at most ${MESSAGE_PARTS_MAX} items.`
    throw new ServiceError('invalid_value', message, { param: path })
  }
  return content.map((part: unknown, index) => {
    const at = `${path}.${index}`
    const fields = recordOf(part)
    const translate = ownMember(parts, requireText(fields, 'type', at))
    if (translate === undefined) throw unsupported(`${at}.type`)
    return translate(fields, at)
  })
}

const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', 'developer'])

/** Puts the messages together. What one answer of the model was, in several items, is one message again. */
class MessageList {
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

const MESSAGE_FIELDS = new Set(['type', 'role', 'content', 'id', 'status', 'phase'])
const CALL_FIELDS = new Set(['type', 'id', 'call_id', 'name', 'arguments', 'status'])
const OUTPUT_FIELDS = new Set(['type', 'id', 'call_id', 'output', 'status'])
const REASONING_FIELDS = new Set(['type', 'id', 'summary', 'content', 'status', 'encrypted_content'])

function addMessage(list: MessageList, item: Fields, path: string): void {
  refuseOthers(item, MESSAGE_FIELDS, `${path}.`)
  const role = requireText(item, 'role', path)
  if (!ROLES.has(role)) {
    const message = `Invalid value for '${path}.role': expected one of 'user', 'assistant', 'system', 'developer'.`
    throw new ServiceError('invalid_value', message, { param: `${path}.role` })
  }
  const content = contentOf(item['content'], `${path}.content`)
  if (role === 'assistant') list.addAssistant(content)
  else list.add({ role, content })
}

function addCall(list: MessageList, item: Fields, path: string): void {
  refuseOthers(item, CALL_FIELDS, `${path}.`)
  const { id, state } = readIdWithState(requireText(item, 'call_id', path))
  list.addCall({
    ...state,
    id,
    type: 'function',
    function: { name: requireText(item, 'name', path), arguments: requireText(item, 'arguments', path) },
  })
}

function addOutput(list: MessageList, item: Fields, path: string): void {
  refuseOthers(item, OUTPUT_FIELDS, `${path}.`)
  const { id } = readIdWithState(requireText(item, 'call_id', path))
  list.add({ role: 'tool', tool_call_id: id, content: contentOf(item['output'], `${path}.output`) })
}

function addReasoning(list: MessageList, item: Fields, path: string): void {
  refuseOthers(item, REASONING_FIELDS, `${path}.`)
  const texts = ['content', 'summary'].flatMap((name) => {
    const value = item[name] ?? []
    if (!Array.isArray(value)) {
      const param = `${path}.${name}`
      throw new ServiceError('invalid_value', `Invalid value for '${param}': expected array.`, { param })
    }
    return value.map((part: unknown, index) => requireText(recordOf(part), 'text', `${path}.${name}.${index}`))
  })
  const said = texts.filter((text) => text !== '')
  if (said.length > 0) list.addReasoning(said.join('\n\n'))
  // Another provider's is for that provider alone.
  const details = recordsOf(openDetail(textOf(item['encrypted_content']) ?? '')?.['details'])
  if (details.length > 0) list.addDetails(details)
}

const items: Readonly<Record<string, (list: MessageList, item: Fields, path: string) => void>> = {
  message: addMessage,
  function_call: addCall,
  function_call_output: addOutput,
  reasoning: addReasoning,
}

/**
 * Makes messages of the instructions and the input. An item that the input refers to replaces its reference.
 *
 * @throws {ServiceError} 400 naming the item that cannot be one.
 */
export function messagesOf(
  { input, instructions }: Pick<ResponseRequest, 'input' | 'instructions'>,
  findItem: FindItem,
): Message[] {
  const list = new MessageList()
  if (instructions !== null && instructions !== undefined) list.add({ role: 'system', content: instructions })
  if (typeof input === 'string') {
    list.add({ role: 'user', content: input })
    return list.all
  }
  for (const [index, sent] of input.entries()) {
    const path = `input.${index}`
    const reference = referenceOf(sent)
    const item: Fields | null = reference === null ? sent : findItem(reference)
    if (item === null) throw unsupported(path, REFERENCE)
    const type = textOf(item['type']) ?? 'message'
    const add = ownMember(items, type)
    if (add === undefined) throw unsupported(`${path}.type`)
    add(list, item, path)
  }
  // A lone reasoning has no content of its own, which a message may have not.
  for (const message of list.all) if (message['role'] === 'assistant') message['content'] ??= null
  return list.all
}
