/** Refuses every tool that a client does not run itself: an upstream would run, and sell, it, and may ask models. */
import { ServiceError } from '../../platform/errors/service-error.ts'
import { type JsonBody, walkElements, walkMembers } from '../../platform/json/json-body.ts'
import type { WorkGuard } from '../../pipeline/work-guard.ts'
import { doubledField, unsupportedField } from '../../pipeline/field-errors.ts'

type Tool = Readonly<Record<string, unknown>>

/** What a tool of one's own consists of, and what is said of it beside that. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  ...['type', 'function', 'custom', 'name', 'title', 'description', 'strict', 'cache_control'],
  ...['parameters', 'input_schema', 'output_schema', 'input_examples', 'annotations', 'metadata'],
  ...['defer_loading', 'eager_input_streaming', 'allowed_callers'],
])

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

/** Whether a tool is a function or a custom tool. A name alone is a function that has a description. */
function isOwn({ type, function: offered }: Tool): boolean {
  if (type === undefined || type === null) return isObject(offered)
  return type === 'function' || type === 'custom'
}

/** The member by which a tool is more than the client's own, such as `web_search` beside a function; null for none. */
function hostedMember(tool: Tool, guard: WorkGuard): string | null {
  const hosted = Object.entries(tool).find(([name, value]) => {
    if (OWN_FIELDS.has(name) || value === undefined || value === null || value === false) return false
    // Tools are named by objects that configure them, and by a yes. The list of them grows, so none has to be known.
    return isObject(value) || value === true || guard.isKnown(name)
  })
  return hosted?.[0] ?? null
}

/** @throws {ServiceError} `invalid_value`: of two types one would be looked at, and the other obeyed. */
function refuseDoubled({ text, members }: JsonBody): void {
  const member = members.get('tools')
  if (member === undefined) return
  const tools = text.subarray(member.valueStart, member.valueEnd)
  let index = 0
  walkElements(tools, (start, end) => {
    const names = new Set<string>()
    walkMembers(tools.subarray(start, end), (name) => {
      if (names.has(name)) throw doubledField(['tools', String(index), name])
      names.add(name)
    })
    index++
  })
}

/**
 * Refuses a tool that is not the client's own.
 *
 * @param body whose `tools` are objects.
 * @throws {ServiceError} `unsupported_parameter` naming the tool's type or the member that is no part of one;
 *   `invalid_value` for a key that a tool has twice.
 */
export function refuseTools(body: JsonBody, guard: WorkGuard): void {
  const tools = (body.value['tools'] ?? []) as readonly Tool[]
  for (const [index, tool] of tools.entries()) {
    if (!isOwn(tool)) {
      throw new ServiceError('unsupported_parameter', 'Unsupported tool: only tools of your own can be offered.', {
        param: `tools.${index}.type`,
      })
    }
    const hosted = hostedMember(tool, guard)
    if (hosted !== null) throw unsupportedField(['tools', String(index), hosted], 'is no part of a tool of your own.')
  }
  refuseDoubled(body)
}
