/** The items of a Responses request as the messages of a chat. Pure. */
import { ownMember, type ResponseRequest } from '@svc/contract'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { requireText, unsupported } from '../../pipeline/refuse-fields.ts'
import { applyLateState, openDetail } from '../carried-state.ts'
import { recordOf, recordsOf, textOf } from '../translated-chat.ts'
import { type AddItem, addOtherCall, callItems } from './call-items.ts'
import { contentOf } from './item-content.ts'
import { type Message, MessageList } from './message-list.ts'
import type { OfferedTools } from './offered-tools.ts'
import { type FindItem, referenceOf } from './referred-items.ts'

type Fields = Readonly<Record<string, unknown>>

const REFERENCE =
  "the item is not here, or not any more: items are kept for a day unless 'store' is false, for the key that asked. " +
  "Send the item itself, as clients do with 'store: false'."

const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', 'developer'])

function addMessage(list: MessageList, item: Fields, path: string): void {
  const role = requireText(item, 'role', path)
  if (!ROLES.has(role)) {
    const message = `Invalid value for '${path}.role': expected one of 'user', 'assistant', 'system', 'developer'.`
    throw new ServiceError('invalid_value', message, { param: `${path}.role` })
  }
  const content = contentOf(item['content'], `${path}.content`)
  if (role === 'assistant') list.addAssistant(content)
  else list.add({ role, content })
}

function addReasoning(list: MessageList, item: Fields, path: string): void {
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

/** Items that say something about the conversation, and nothing in it. Source: OpenAI's API reference; Codex. */
const SILENT: ReadonlySet<string> = new Set([
  ...[
    'additional_tools',
    'configuration_update',
    'mcp_list_tools',
    'mcp_approval_request',
    'mcp_approval_response',
    'compaction_trigger',
  ],
])

/** Items that only their provider can read. */
const SEALED: ReadonlySet<string> = new Set(['compaction', 'compaction_summary', 'context_compaction'])

const SEALED_REASON = 'it is a conversation in a form that only the provider which has made it can read.'

const items: Readonly<Record<string, AddItem>> = { message: addMessage, reasoning: addReasoning, ...callItems }

/** An item, and where it stands in the request. */
export interface PlacedItem {
  readonly item: Fields
  readonly path: string
}

/** The items of an input. One that the input refers to replaces its reference. @throws {ServiceError} 400. */
export function itemsIn(input: ResponseRequest['input'], findItem: FindItem): readonly PlacedItem[] {
  if (typeof input === 'string') return [{ item: { type: 'message', role: 'user', content: input }, path: 'input' }]
  return input.map((sent, index) => {
    const path = `input.${index}`
    const reference = referenceOf(sent)
    const item: Fields | null = reference === null ? sent : findItem(reference)
    if (item === null) throw unsupported(path, REFERENCE)
    return { item, path }
  })
}

/**
 * Makes messages of the instructions and the items.
 *
 * @throws {ServiceError} 400 naming the item that cannot be one.
 */
export function messagesOf(
  instructions: ResponseRequest['instructions'],
  placed: readonly PlacedItem[],
  offered: OfferedTools,
): Message[] {
  const list = new MessageList()
  if (instructions !== null && instructions !== undefined && instructions.length > 0)
    list.add({ role: 'system', content: instructions })
  for (const { item, path } of placed) {
    const type = textOf(item['type']) ?? 'message'
    if (SEALED.has(type)) throw unsupported(`${path}.type`, SEALED_REASON)
    const add = ownMember(items, type)
    if (add !== undefined) add(list, item, path, offered)
    else if (!SILENT.has(type) && !addOtherCall(list, item, path)) throw unsupported(`${path}.type`)
  }
  for (const message of list.all) {
    if (message['role'] !== 'assistant') continue
    applyLateState(message)
    // A lone reasoning has no content of its own, which a message may have not.
    message['content'] ??= null
  }
  return list.all
}
