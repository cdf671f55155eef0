/** Which of its tools a Responses request lets the model call, as a chat says it. Pure. */
import type { ResponseRequest } from '@svc/contract'
import { unsupported } from '../../pipeline/refuse-fields.ts'
import { recordsOf, textOf } from '../translated-chat.ts'
import { localKindOf, localName } from './local-tools.ts'
import type { OfferedTools } from './offered-tools.ts'

type Fields = Readonly<Record<string, unknown>>

const HOSTED = 'no tool of that kind can be called here: only tools that the client runs itself are offered.'

/** What a chat calls the tool that is chosen; null for one that is not offered. */
function chosenName({ type, name, namespace }: Fields, offered: OfferedTools): string | null {
  const kind = localKindOf({ type })
  const called = kind !== null ? localName(kind) : type === 'tool_search' ? type : textOf(name)
  if (called === null) return null
  const tool = { name: called, namespace: textOf(namespace) }
  return offered.has(tool) ? offered.nameOf(tool) : null
}

function allowedTools(choice: Fields, offered: OfferedTools): Fields {
  const { mode } = choice
  const names = recordsOf(choice['tools']).map((tool) => chosenName(tool, offered))
  const tools = names.filter((name) => name !== null).map((name) => ({ type: 'function', function: { name } }))
  if (tools.length > 0) return { tool_choice: { type: 'allowed_tools', allowed_tools: { mode, tools } } }
  if (mode === 'required') throw unsupported('tool_choice.tools', HOSTED)
  return { tool_choice: 'none' }
}

/**
 * The choice as members of a chat. A choice without tools asks for nothing, and upstreams refuse it.
 *
 * @throws {ServiceError} 400 where the model would have to call a tool that is not offered.
 */
export function toolChoiceOf(
  { tool_choice: choice, tools }: Pick<ResponseRequest, 'tool_choice' | 'tools'>,
  offered: OfferedTools,
): Fields {
  const hasTools = offered.functions.length > 0
  if (choice === null || choice === undefined) return {}
  if (typeof choice === 'string') {
    if (hasTools) return { tool_choice: choice }
    if (choice === 'required' && (tools ?? []).length > 0) throw unsupported('tool_choice', HOSTED)
    return choice === 'auto' || choice === 'none' ? {} : { tool_choice: choice }
  }
  if (choice.type === 'allowed_tools') {
    const allowed = allowedTools(choice, offered)
    return hasTools ? allowed : {}
  }
  const name = chosenName(choice, offered)
  if (name !== null) return { tool_choice: { type: 'function', function: { name } } }
  throw unsupported(
    choice.type === 'function' || choice.type === 'custom' ? 'tool_choice.name' : 'tool_choice.type',
    HOSTED,
  )
}
