import { isUtf8 } from 'node:buffer'
import {
  chatRequest,
  type ChatRequest,
  isBlankChat,
  MESSAGE_PARTS_MAX,
  MESSAGES_MAX,
  REQUEST_PARTS_MAX,
  requestProblem,
  TOOLS_MAX,
} from '@svc/contract'
import { ServiceError } from '../errors/service-error.ts'
import { DuplicateKeyError, type JsonBody, scanMembers, textStart } from '../json/json-body.ts'

/** A chat request whose shape is known to be right, with the very text that the client sent. */
export interface ChatCall {
  readonly body: JsonBody
  readonly request: ChatRequest
}

function parseJson(text: Buffer): Record<string, unknown> {
  let value: unknown
  try {
    if (!isUtf8(text)) throw new SyntaxError('The body is not UTF-8 text')
    value = JSON.parse(text.toString('utf8', textStart(text)))
  } catch (error) {
    throw new ServiceError('invalid_json', 'The body is not valid JSON.', { cause: error })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new ServiceError('invalid_json', 'The body must be a JSON object.')
}

/**
 * Refuses a request of more messages and parts than may be, before each of them is looked at: millions fit into a body,
 * and nobody else is served meanwhile.
 */
function refuseCrowds({ messages, tools }: Readonly<Record<string, unknown>>): void {
  const tooMany = (param: string, most: number, unit: string): ServiceError =>
    new ServiceError('invalid_value', `Invalid value for '${param}': expected at most ${most} ${unit}.`, { param })
  if (Array.isArray(tools) && tools.length > TOOLS_MAX) throw tooMany('tools', TOOLS_MAX, 'items')
  if (!Array.isArray(messages)) return
  if (messages.length > MESSAGES_MAX) throw tooMany('messages', MESSAGES_MAX, 'items')
  let parts = 0
  for (const [index, message] of messages.entries()) {
    const content: unknown = typeof message === 'object' && message !== null ? Reflect.get(message, 'content') : null
    if (!Array.isArray(content)) continue
    if (content.length > MESSAGE_PARTS_MAX) throw tooMany(`messages.${index}.content`, MESSAGE_PARTS_MAX, 'items')
    parts += content.length
  }
  if (parts > REQUEST_PARTS_MAX) throw tooMany('messages', REQUEST_PARTS_MAX, 'content parts')
}

function scan(text: Buffer): JsonBody['members'] {
  try {
    return scanMembers(text)
  } catch (error) {
    if (!(error instanceof DuplicateKeyError)) throw error
    throw new ServiceError('invalid_value', `The field '${error.key.slice(0, 64)}' stands twice in the body.`, {
      param: error.key.slice(0, 64),
      cause: error,
    })
  }
}

/**
 * Fields that change the price, the model or the route of a request behind the gateway's back, with the values that do
 * not.
 * Source: decision 0006 (unknown fields pass, these do not).
 */
const refusedFields: Readonly<Record<string, readonly unknown[]>> = {
  models: [],
  route: [],
  plugins: [],
  provider: [],
  preset: [],
  transforms: [],
  web_search_options: [],
  fallbacks: [],
  providerOptions: [],
  service_tier: ['auto', 'default', 'standard'],
}

/** Fields that decide what a request costs and who serves it. */
const decidingFields: ReadonlySet<string> = new Set([...Object.keys(refusedFields), ...Object.keys(chatRequest.shape)])

/** A name as readers see it that care for no case: capitals, and the letters that fold to an ordinary one (ſ, K). */
function foldCase(name: string): string {
  return name.toUpperCase().toLowerCase()
}

const foldedFields: ReadonlyMap<string, string> = new Map([...decidingFields].map((field) => [foldCase(field), field]))

/**
 * Refuses a deciding field in another spelling: to the gateway it is an unknown field, to an upstream that cares for no
 * case it is the field itself, and its last value wins. Source: Go, package encoding/json, Unmarshal.
 */
function refuseSpellings(members: JsonBody['members']): void {
  for (const name of members.keys()) {
    const field = foldedFields.get(foldCase(name))
    if (field === undefined || field === name) continue
    const param = name.slice(0, 64)
    throw new ServiceError('unsupported_parameter', `Unsupported parameter: '${param}' must be written '${field}'.`, {
      param,
    })
  }
}

/** Tools that clients run themselves. Any other is run, and sold, by an upstream, and may ask models of its own. */
const clientTools: ReadonlySet<unknown> = new Set(['function', 'custom', undefined, null])

function refuseTools(tools: ChatRequest['tools']): void {
  const index = tools?.findIndex((tool) => !clientTools.has(tool['type'])) ?? -1
  if (index === -1) return
  throw new ServiceError('unsupported_parameter', 'Unsupported tool: only tools of your own can be offered.', {
    param: `tools.${index}.type`,
  })
}

function refuseFields(value: Readonly<Record<string, unknown>>): void {
  for (const [field, harmless] of Object.entries(refusedFields)) {
    const sent = value[field]
    if (sent === undefined || sent === null || harmless.includes(sent)) continue
    throw new ServiceError(
      'unsupported_parameter',
      `Unsupported parameter: '${field}' would change the price or the route of the request.`,
      { param: field },
    )
  }
}

/**
 * Reads the body of a chat request. What the gateway does not read goes on unchecked, byte for byte.
 *
 * @throws {ServiceError} 400: no JSON object, a doubled key, a field of the wrong type, a field that we do not pass on,
 *   or no content at all.
 */
export function parseChat(text: Buffer): ChatCall {
  const value = parseJson(text)
  refuseCrowds(value)
  const parsed = chatRequest.safeParse(value)
  if (!parsed.success) {
    const problem = requestProblem(parsed.error, value)
    throw new ServiceError(problem.code, problem.message, { param: problem.param })
  }
  const members = scan(text)
  refuseSpellings(members)
  refuseFields(value)
  refuseTools(parsed.data.tools)
  if (isBlankChat(parsed.data)) {
    throw new ServiceError('empty_content', 'The request has no content. You were not charged.', { param: 'messages' })
  }
  return { body: { text, value, members }, request: parsed.data }
}
