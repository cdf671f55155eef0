/**
 * Which tools of a Messages request a model is offered. Pure. A tool with `defer_loading` waits until a search names it,
 * and messages of the system add tools and take them away. Source: Anthropic, tool search and tool changes.
 */
import { type MessageCountRequest, type MessageRequest, TOOLS_MAX } from '@svc/contract'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { pickFields, requireText, unsupported } from '../../pipeline/refuse-fields.ts'
import { recordOf, recordsOf, textOf } from '../translated-chat.ts'
import { messageTool } from './known-tools.ts'
import { cacheOf } from './message-input.ts'

type Fields = Readonly<Record<string, unknown>>

/** A tool, and where it stands in the request. */
interface PlacedTool {
  readonly fields: Fields
  readonly path: string
}

/** Searches that Anthropic runs among tools that wait. Nothing runs them here, so no tool waits beside one. */
const SEARCHES = 'tool_search_tool_'

/** Follows what a conversation says of tools, from its first message on. */
class ToolChanges {
  /** Names that were found by a search or added. */
  readonly loaded = new Set<string>()
  /** Names that were taken away, and not added again. */
  readonly removed = new Set<string>()
  /** Tools that stand in messages. */
  readonly defined: PlacedTool[] = []

  constructor(messages: MessageRequest['messages']) {
    for (const [index, { role, content }] of messages.entries()) {
      for (const [place, block] of recordsOf(content).entries()) {
        if (role === 'system') this.#change(block, `messages.${index}.content.${place}`)
        if (block['type'] === 'tool_result') this.#find(block)
      }
    }
  }

  #change({ type, tool }: Fields, path: string): void {
    const { type: kind, definition, name } = recordOf(tool)
    const isDefined = kind === 'tool_definition'
    const named = textOf(isDefined ? recordOf(definition)['name'] : name) ?? ''
    if (type === 'tool_removal') this.removed.add(named)
    if (type !== 'tool_addition') return
    if (isDefined) this.defined.push({ fields: recordOf(definition), path: `${path}.tool.definition` })
    this.loaded.add(named)
    this.removed.delete(named)
  }

  #find({ content }: Fields): void {
    for (const { type, tool_name: name } of recordsOf(content)) {
      if (type === 'tool_reference') this.loaded.add(textOf(name) ?? '')
    }
  }
}

function translate({ fields, path }: PlacedTool): Fields {
  const type = fields['type'] ?? 'custom'
  const known = type === 'custom' ? null : messageTool(fields)
  if (type !== 'custom' && known === null) {
    throw unsupported(`${path}.type`, 'only tools that the client runs itself can be offered.')
  }
  const names = { description: 'description', input_schema: 'parameters', strict: 'strict' }
  const called = { name: requireText(fields, 'name', path), ...(known ?? pickFields(fields, names)) }
  return { type: 'function', function: called, ...cacheOf(fields) }
}

/**
 * Makes the tools of a chat. A later definition of a name replaces the earlier one.
 *
 * @returns none where the request offers none by now.
 * @throws {ServiceError} 400 for a tool that its client does not run itself.
 */
export function offeredTools({ tools, messages, tool_choice: choice }: MessageCountRequest): readonly Fields[] {
  const { loaded, removed, defined } = new ToolChanges(messages)
  const listed = (tools ?? []).map((fields, index): PlacedTool => ({ fields, path: `tools.${index}` }))
  const isSearch = ({ fields }: PlacedTool): boolean => textOf(fields['type'])?.startsWith(SEARCHES) === true
  const own = listed.filter((tool) => !isSearch(tool))
  const isSearched = own.length < listed.length
  const chosen = textOf(choice?.['name'])
  const isOffered = ({ fields }: PlacedTool): boolean => {
    const name = textOf(fields['name']) ?? ''
    if (removed.has(name)) return false
    return fields['defer_loading'] !== true || isSearched || loaded.has(name) || name === chosen
  }
  // All are translated, so that what cannot be offered is refused at once, and not once it is needed.
  const byName = new Map<unknown, Fields>()
  for (const tool of [...own, ...defined]) {
    const translated = translate(tool)
    byName.delete(tool.fields['name'])
    if (isOffered(tool)) byName.set(tool.fields['name'], translated)
  }
  if (byName.size > TOOLS_MAX) {
    const message = `Invalid value for 'tools': expected at most ${TOOLS_MAX} that are offered at once.`
    throw new ServiceError('invalid_value', message, { param: 'tools' })
  }
  return [...byName.values()]
}
