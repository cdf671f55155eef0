/**
 * The tools of a Responses request as functions of a chat, and which of them a call of the model is for. Pure. Source:
 * decision 0121 (fields and tools that are served).
 */
import { createHash } from 'node:crypto'
import { pickFields, requireText } from '../../pipeline/refuse-fields.ts'
import { recordOf, recordsOf, textOf } from '../translated-chat.ts'
import { type LocalKind, localKindOf, localName, localTool } from './local-tools.ts'

type Fields = Readonly<Record<string, unknown>>

/** How a client wants the calls of a tool: as JSON, as one text, as a search for further tools, or as its kind has it. */
type ToolKind = 'function' | 'custom' | 'tool_search' | LocalKind

/** A tool that the client runs itself. */
export interface OwnTool {
  readonly kind: ToolKind
  readonly name: string
  /** The group that it is in; null for none. */
  readonly namespace: string | null
}

/** The member of a custom tool's arguments that is its text. */
export const INPUT_MEMBER = 'input'

/** What the search for tools that a client runs itself is called in a chat. */
export const TOOL_SEARCH = 'tool_search'

/** Longest name of a function that upstreams take. Source: OpenAI's API reference, `function.name`. */
const NAME_MAX = 64
const HASH_LENGTH = 8

function hashOf({ namespace, name }: OwnTool): string {
  return createHash('sha256')
    .update(JSON.stringify([namespace, name]))
    .digest('hex')
    .slice(0, HASH_LENGTH)
}

/** The same with its hash, within the characters and the length that upstreams take. */
function hashed(name: string, tool: OwnTool): string {
  return `${name.slice(0, NAME_MAX - HASH_LENGTH - 1)}_${hashOf(tool)}`
}

/** What a tool is called in a chat. The same in every turn, so that a history and an upstream's cache stay true. */
function chatNameOf(tool: OwnTool): string {
  const { name, namespace } = tool
  if (namespace === null) return name
  const full = namespace.endsWith('__') ? `${namespace}${name}` : `${namespace}__${name}`
  const clean = full.replaceAll(/[^\w-]/g, '_')
  return clean === full && full.length <= NAME_MAX ? full : hashed(clean, tool)
}

/** The rule that the text of a custom tool follows, in words: a chat has no place for it. */
function formatText(format: unknown): string {
  const { type, syntax, definition } = recordOf(format)
  if (type !== 'grammar' || typeof definition !== 'string') return ''
  return `\n\nThe text follows this grammar (${textOf(syntax) ?? 'lark'}):\n${definition}`
}

function customFunction(tool: Fields): Fields {
  const description = textOf(tool['description']) ?? ''
  const parameters = {
    type: 'object',
    properties: { [INPUT_MEMBER]: { type: 'string', description: 'The whole text, as it is.' } },
    required: [INPUT_MEMBER],
    additionalProperties: false,
  }
  return { description: `${description}${formatText(tool['format'])}`.trim(), parameters }
}

const FUNCTION_FIELDS = { description: 'description', parameters: 'parameters', strict: 'strict' } as const

interface Offer {
  readonly tool: OwnTool
  readonly called: Fields
}

/** A tool that its client runs; null for one that its provider would run. @throws {ServiceError} 400: no name. */
function offerOf(tool: Fields, namespace: string | null, path: string): Offer | null {
  const { type } = tool
  if (type === 'tool_search' && namespace === null) {
    const called = pickFields(tool, FUNCTION_FIELDS)
    return tool['execution'] === 'client' ? { tool: { kind: type, name: TOOL_SEARCH, namespace }, called } : null
  }
  const kind = namespace === null ? localKindOf(tool) : null
  if (kind !== null) return { tool: { kind, name: localName(kind), namespace }, called: { ...localTool(kind, tool) } }
  if (type !== 'function' && type !== 'custom') return null
  const name = requireText(tool, 'name', path)
  const called = type === 'custom' ? customFunction(tool) : pickFields(tool, FUNCTION_FIELDS)
  return { tool: { kind: type, name, namespace }, called }
}

function keyOf({ name, namespace }: Pick<OwnTool, 'name' | 'namespace'>): string {
  return JSON.stringify([namespace, name])
}

/**
 * The tools that one request offers. What a provider would run, such as a search of the web, is left out: nothing here
 * could pay for it.
 */
export class OfferedTools {
  readonly #names = new Map<string, string>()
  readonly #tools = new Map<string, OwnTool>()
  readonly #functions = new Map<string, Fields>()
  readonly #sent: Fields[] = []

  /** The functions of the chat, in their order. */
  get functions(): readonly Fields[] {
    return [...this.#functions.values()]
  }

  /** Those of the request's own list that are offered, as they were sent. */
  get sent(): readonly Fields[] {
    return this.#sent
  }

  /** The list of the request. @throws {ServiceError} 400 naming a tool without a name. */
  addOwn(tools: unknown): void {
    for (const [index, tool] of recordsOf(tools).entries()) if (this.#add(tool, `tools.${index}`)) this.#sent.push(tool)
  }

  /** Tools that come within the input. @param path of their list. @throws {ServiceError} 400 as `addOwn`. */
  addMore(tools: unknown, path: string): void {
    for (const [index, tool] of recordsOf(tools).entries()) this.#add(tool, `${path}.${index}`)
  }

  /** What a chat calls a tool, be it offered or only remembered. */
  nameOf(tool: Pick<OwnTool, 'name' | 'namespace'>): string {
    return this.#names.get(keyOf(tool)) ?? chatNameOf({ kind: 'function', ...tool })
  }

  /** The tool that a model calls. Models leave the name of a group out, where they know the tool by the rest. */
  find(chatName: string): OwnTool {
    const found = this.#tools.get(chatName)
    if (found !== undefined) return found
    const others = [...this.#tools.values()].filter(({ name }) => name === chatName)
    const [other] = others
    return other !== undefined && others.length === 1 ? other : { kind: 'function', name: chatName, namespace: null }
  }

  /** Whether the request offers it. */
  has(tool: Pick<OwnTool, 'name' | 'namespace'>): boolean {
    return this.#names.has(keyOf(tool))
  }

  /** @returns whether anything of it is offered. */
  #add(tool: Fields, path: string): boolean {
    if (tool['type'] !== 'namespace') return this.#offer(offerOf(tool, null, path))
    const namespace = requireText(tool, 'name', path)
    const offers = recordsOf(tool['tools']).map((inner, index) => offerOf(inner, namespace, `${path}.tools.${index}`))
    return offers.map((offer) => this.#offer(offer)).includes(true)
  }

  /** A tool that comes again, such as one that was found anew, replaces what was said of it before. */
  #offer(offer: Offer | null): boolean {
    if (offer === null) return false
    const { tool, called } = offer
    const key = keyOf(tool)
    const wanted = chatNameOf(tool)
    const name = this.#names.get(key) ?? (this.#tools.has(wanted) ? hashed(wanted, tool) : wanted)
    this.#names.set(key, name)
    this.#tools.set(name, tool)
    this.#functions.set(name, { type: 'function', function: { name, ...called } })
    return true
  }
}
