/** Calls of tools and their outputs in the input of a Responses request, as those of a chat. Pure. */
import { pickFields, requireText } from '../../pipeline/refuse-fields.ts'
import { readIdWithState } from '../carried-state.ts'
import { recordOf, recordsOf, textOf } from '../translated-chat.ts'
import { contentOf } from './item-content.ts'
import type { MessageList } from './message-list.ts'
import { INPUT_MEMBER, type OfferedTools, TOOL_SEARCH } from './offered-tools.ts'

type Fields = Readonly<Record<string, unknown>>

/** Adds an item to the messages. @param path of the item. @throws {ServiceError} 400 naming what it lacks. */
export type AddItem = (list: MessageList, item: Fields, path: string, offered: OfferedTools) => void

/** A call of the model, under the name that a chat has for its tool. */
function callOf(item: Fields, path: string, called: { readonly name: string; readonly arguments: string }): Fields {
  const { id, state } = readIdWithState(requireText(item, 'call_id', path))
  return { ...state, id, type: 'function', function: called }
}

function nameIn(item: Fields, path: string, offered: OfferedTools): string {
  return offered.nameOf({ name: requireText(item, 'name', path), namespace: textOf(item['namespace']) })
}

function addFunctionCall(list: MessageList, item: Fields, path: string, offered: OfferedTools): void {
  const called = { name: nameIn(item, path, offered), arguments: requireText(item, 'arguments', path) }
  list.addCall(callOf(item, path, called))
}

function addCustomCall(list: MessageList, item: Fields, path: string, offered: OfferedTools): void {
  const input = { [INPUT_MEMBER]: requireText(item, 'input', path) }
  list.addCall(callOf(item, path, { name: nameIn(item, path, offered), arguments: JSON.stringify(input) }))
}

/** An object as JSON text; a text as it is. */
function jsonOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? {})
}

function addToolSearch(list: MessageList, item: Fields, path: string): void {
  // One that a provider ran itself has no id: there is nothing to answer.
  if (textOf(item['call_id']) === null) return
  list.addCall(callOf(item, path, { name: TOOL_SEARCH, arguments: jsonOf(item['arguments']) }))
}

/** What a search has found: the model receives the names, and the tools themselves are offered. */
function addFoundTools(list: MessageList, item: Fields, path: string, offered: OfferedTools): void {
  if (textOf(item['call_id']) === null) return
  const found = recordsOf(item['tools']).flatMap((tool) => {
    const namespace = tool['type'] === 'namespace' ? textOf(tool['name']) : null
    const inner = namespace === null ? [tool] : recordsOf(tool['tools'])
    return inner.map((each) => {
      const name = offered.nameOf({ name: textOf(each['name']) ?? '', namespace })
      return { name, ...pickFields(each, { description: 'description' }) }
    })
  })
  addResult(list, item, path, JSON.stringify({ tools: found }))
}

function addResult(list: MessageList, item: Fields, path: string, content: unknown): void {
  const { id } = readIdWithState(requireText(item, 'call_id', path))
  list.add({ role: 'tool', tool_call_id: id, content })
}

function addOutput(list: MessageList, item: Fields, path: string): void {
  addResult(list, item, path, contentOf(item['output'], `${path}.output`))
}

/** Calls and outputs by their types. */
export const callItems: Readonly<Record<string, AddItem>> = {
  function_call: addFunctionCall,
  function_call_output: addOutput,
  custom_tool_call: addCustomCall,
  custom_tool_call_output: addOutput,
  tool_search_call: addToolSearch,
  tool_search_output: addFoundTools,
}

const CALL = '_call'
const OUTPUT = '_call_output'

/** What an item says of itself, and not of what was called. */
const OWN_MEMBERS: ReadonlySet<string> = new Set([
  'type',
  'id',
  'call_id',
  'status',
  'caller',
  'created_by',
  'environment',
  'pending_safety_checks',
])

/** What came of a call: content of its client's, or what was printed and how it ended, as JSON. */
function outputOf(item: Fields, path: string): unknown {
  const { type, output, status } = item
  if (type === 'apply_patch_call_output') return JSON.stringify({ status, output })
  const { type: kind, ...screenshot } = recordOf(output)
  if (kind === 'computer_screenshot') return contentOf([{ type: 'input_image', ...screenshot }], `${path}.output`)
  const isContent = Array.isArray(output) && type !== 'shell_call_output'
  return isContent ? contentOf(output, `${path}.output`) : jsonOf(output)
}

/**
 * Adds a call of another kind that a client has run, such as `local_shell_call`, or its output. A call without an id is
 * one that a provider has run for itself: what came of it is in its answer.
 *
 * @returns false for an item that is none.
 * @throws {ServiceError} 400 as `callItems`.
 */
export function addOtherCall(list: MessageList, item: Fields, path: string): boolean {
  const type = textOf(item['type']) ?? ''
  const isOutput = type.endsWith(OUTPUT)
  if (!isOutput && !type.endsWith(CALL)) return false
  if (isOutput) {
    addResult(list, item, path, outputOf(item, path))
    return true
  }
  if (textOf(item['call_id']) === null) return true
  const told = Object.entries(item).filter(([name]) => !OWN_MEMBERS.has(name))
  const name = type.slice(0, -CALL.length)
  list.addCall(callOf(item, path, { name, arguments: JSON.stringify(Object.fromEntries(told)) }))
  return true
}

/** Offers the tools that come within an item. @throws {ServiceError} 400 naming a tool without a name. */
export function offerToolsIn(item: Fields, path: string, offered: OfferedTools): void {
  const { type } = item
  if (type === 'additional_tools' || type === 'tool_search_output') offered.addMore(item['tools'], `${path}.tools`)
}
