/** The messages of a Messages request as those of a chat. Pure. */
import { ownMember, MESSAGE_PARTS_MAX, type MessageRequest } from '@svc/contract'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { pickFields, requireText, unsupported } from '../../pipeline/refuse-fields.ts'
import { placeMember } from '../../upstreams/thought-place.ts'
import { applyLateState, openDetail, readIdWithState } from '../carried-state.ts'
import { recordOf, textOf } from '../translated-chat.ts'
import { REASONING_FORMAT } from './message-object.ts'

type Fields = Readonly<Record<string, unknown>>
type Message = Record<string, unknown>

/** What a block says of its cache. Agents add members of their own API that no other knows. */
export function cacheOf(block: Fields): Fields {
  const mark = block['cache_control'] ?? null
  if (mark === null) return {}
  return { cache_control: { type: 'ephemeral', ...pickFields(recordOf(mark), { type: 'type', ttl: 'ttl' }) } }
}

interface PlacedBlock {
  readonly fields: Fields
  readonly at: string
}

function blocksOf(content: unknown, path: string): readonly PlacedBlock[] {
  if (typeof content === 'string') return [{ fields: { type: 'text', text: content }, at: path }]
  if (!Array.isArray(content)) {
    throw new ServiceError('invalid_value', `Invalid value for '${path}': expected string or array.`, { param: path })
  }
  if (content.length > MESSAGE_PARTS_MAX) {
    const message = `Invalid value for '${path}': expected at most ${MESSAGE_PARTS_MAX} items.`
    throw new ServiceError('invalid_value', message, { param: path })
  }
  return content.map((block: unknown, index) => ({ fields: recordOf(block), at: `${path}.${index}` }))
}

function textPart(block: Fields, at: string): Fields {
  return { type: 'text', text: requireText(block, 'text', at), ...cacheOf(block) }
}

function dataUrl(source: Fields, at: string): string {
  return `data:${requireText(source, 'media_type', at)};base64,${requireText(source, 'data', at)}`
}

function imagePart(block: Fields, at: string): Fields {
  const source = recordOf(block['source'])
  const from = `${at}.source`
  if (source['type'] !== 'base64' && source['type'] !== 'url')
    throw unsupported(`${from}.type`, 'send the image, or its address.')
  const url = source['type'] === 'base64' ? dataUrl(source, from) : requireText(source, 'url', from)
  return { type: 'image_url', image_url: { url }, ...cacheOf(block) }
}

/** What a document is called and what is said of it, before its content. */
function documentParts(block: Fields, at: string): readonly Fields[] {
  const source = recordOf(block['source'])
  const from = `${at}.source`
  const filename = textOf(block['title'])
  const context = textOf(block['context'])
  if (source['type'] === 'text') {
    const text = requireText(source, 'data', from)
    return [{ type: 'text', text: [filename, context, text].filter(isThere).join('\n\n'), ...cacheOf(block) }]
  }
  if (source['type'] === 'content') {
    const named = [filename, context].filter(isThere).map((text) => ({ type: 'text', text }))
    const inner = [...named, ...blocksOf(source['content'], `${from}.content`).flatMap(partsOf)]
    return inner.map((part, index) => (index === inner.length - 1 ? { ...part, ...cacheOf(block) } : part))
  }
  if (source['type'] !== 'base64') throw unsupported(`${from}.type`, 'send the data of the document.')
  const file = { filename: filename ?? 'document.pdf', file_data: dataUrl(source, from) }
  return [...(context === null ? [] : [{ type: 'text', text: context }]), { type: 'file', file, ...cacheOf(block) }]
}

/** What a search of the client's own found. */
function searchResultPart(block: Fields, at: string): Fields {
  const texts = blocksOf(block['content'], `${at}.content`).map((inner) => requireText(inner.fields, 'text', inner.at))
  const text = [textOf(block['title']), textOf(block['source']), ...texts].filter(isThere).join('\n\n')
  return { type: 'text', text, ...cacheOf(block) }
}

/** A tool that a search found: from now on it is offered. Source: `offered-tools.ts`. */
function toolReferencePart(block: Fields, at: string): Fields {
  return { type: 'text', text: `The tool ${requireText(block, 'tool_name', at)} can be called now.`, ...cacheOf(block) }
}

function isThere(text: string | null): text is string {
  return text !== null
}

const parts: Readonly<Record<string, (block: Fields, at: string) => Fields | readonly Fields[]>> = {
  text: textPart,
  image: imagePart,
  document: documentParts,
  search_result: searchResultPart,
  tool_reference: toolReferencePart,
}

function partsOf({ fields, at }: PlacedBlock): readonly Fields[] {
  const translate = ownMember(parts, requireText(fields, 'type', at))
  if (translate === undefined) throw unsupported(`${at}.type`)
  return [translate(fields, at)].flat()
}

/** One plain text is a string, as chats usually have it. */
function contentOf(list: readonly Fields[]): unknown {
  const [only] = list
  const isPlain = list.length === 1 && only?.['type'] === 'text' && !('cache_control' in only)
  return isPlain ? only['text'] : list
}

/** A chat has no mark for a tool that failed, so the text says so. */
function toolMessage(block: Fields, at: string): Message {
  const id = requireText(block, 'tool_use_id', at)
  const content = block['content'] ?? ''
  const list = blocksOf(content, `${at}.content`).flatMap(partsOf)
  const failed = block['is_error'] === true ? [{ type: 'text', text: 'Error:' }] : []
  const all = [...failed, ...list].map((part, index, { length }) => {
    return index === length - 1 ? { ...part, ...cacheOf(block) } : part
  })
  return { role: 'tool', tool_call_id: readIdWithState(id).id, content: contentOf(all) }
}

function userMessages(content: unknown, path: string): Message[] {
  const blocks = blocksOf(content, path)
  const results = blocks.filter(({ fields }) => fields['type'] === 'tool_result')
  const others = blocks.filter(({ fields }) => fields['type'] !== 'tool_result')
  return [
    ...results.map(({ fields, at }) => toolMessage(fields, at)),
    ...(others.length === 0 ? [] : [{ role: 'user', content: contentOf(others.flatMap(partsOf)) }]),
  ]
}

function toolCall(block: Fields, at: string): Fields {
  const called = { name: requireText(block, 'name', at), arguments: JSON.stringify(block['input'] ?? {}) }
  const { id, state } = readIdWithState(requireText(block, 'id', at))
  return { ...state, id, type: 'function', function: called, ...cacheOf(block) }
}

/** Thinking with its signature goes back as upstreams gave it; without one it is text alone. */
function reasoningDetail(block: Fields, at: string): Fields | null {
  if (block['type'] === 'redacted_thinking') {
    const detail = openDetail(requireText(block, 'data', at))
    if (detail !== null) return Object.keys(detail).length === 0 ? null : detail
    return { type: 'reasoning.encrypted', data: requireText(block, 'data', at), format: REASONING_FORMAT }
  }
  const text = requireText(block, 'thinking', at)
  const signature = textOf(block['signature'])
  return signature === null ? null : { type: 'reasoning.text', text, signature, format: REASONING_FORMAT }
}

function assistantMessage(content: unknown, path: string): Message {
  const texts: Fields[] = []
  const calls: Fields[] = []
  const details: Fields[] = []
  const thoughts: string[] = []
  let text = 0
  for (const block of blocksOf(content, path)) {
    const { fields, at } = block
    const { type } = fields
    if (type === 'tool_use') calls.push(toolCall(fields, at))
    else if (type === 'thinking' || type === 'redacted_thinking') {
      if (type === 'thinking') thoughts.push(textOf(fields['thinking']) ?? '')
      const detail = reasoningDetail(fields, at)
      if (detail === null) continue
      const isOwn = detail['format'] === REASONING_FORMAT
      details.push(isOwn ? { ...detail, ...placeMember({ text, calls: calls.length }) } : detail)
    } else {
      for (const part of partsOf(block)) {
        texts.push(part)
        text += textOf(part['text'])?.length ?? 0
      }
    }
  }
  const message: Message = {
    role: 'assistant',
    content: texts.length === 0 ? null : contentOf(texts),
    ...(thoughts.length === 0 ? {} : { reasoning_content: thoughts.join('\n\n') }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
  applyLateState(message)
  return message
}

/** Blocks of the system that say which tools there are: `offered-tools.ts` reads them. */
const TOOL_CHANGES: ReadonlySet<unknown> = new Set(['tool_addition', 'tool_removal'])

/** @returns none for one that says nothing, or only changes tools: servers refuse a message without a part. */
function systemMessages(given: unknown, path: string): readonly Message[] {
  const blocks = blocksOf(given, path).filter(({ fields }) => !TOOL_CHANGES.has(fields['type']))
  const parts = blocks.flatMap(partsOf)
  const content = contentOf(parts)
  return parts.length === 0 || content === '' ? [] : [{ role: 'system', content }]
}

/**
 * Makes the messages of a chat. Results of tools become messages of their own, before what the user says beside them.
 *
 * @throws {ServiceError} 400 naming the block that cannot be translated.
 */
export function messagesOf({ messages, system }: Pick<MessageRequest, 'messages' | 'system'>): Message[] {
  const all = system === null || system === undefined ? [] : [...systemMessages(system, 'system')]
  for (const [index, message] of messages.entries()) {
    const path = `messages.${index}.content`
    if (message.role === 'assistant') all.push(assistantMessage(message.content, path))
    else if (message.role === 'system') all.push(...systemMessages(message.content, path))
    else for (const each of userMessages(message.content, path)) all.push(each)
  }
  return all
}
