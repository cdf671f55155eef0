/** Reads what the fields of one request ask for beside those that the gateway reads itself. Source: decision 0081. */
import { walkElements, walkMembers } from '../platform/json/json-body.ts'
import type { FieldTable } from '../upstreams/work-fields/field-table.ts'
import { foldName } from '../upstreams/work-fields/fold-name.ts'
import type { UnknownKind } from '../upstreams/work-fields/name-words.ts'
import type { WorkKind } from '../upstreams/work-fields/work-field.ts'
import { doubledField, tooManyMembers, unsupportedField } from './field-errors.ts'
import { writtenNumber } from '../upstreams/work-fields/written-number.ts'

/** The values of an object's members. */
export type Json = Readonly<Record<string, unknown>>

export type BoundedKind = Extract<WorkKind, 'limit' | 'budget' | 'beside' | 'least' | 'answers'> | UnknownKind

/** Where a value is in the text of a body, in bytes. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A field whose value is compared with what is held for. */
interface BoundedField {
  /** From the body inwards. */
  readonly path: readonly string[]
  readonly kind: BoundedKind
  readonly value: unknown
  /** Null where the request has no text that goes on. */
  readonly span: Span | null
  /** In a list: there it can be refused, not exchanged. */
  readonly isListed: boolean
}

/** What the fields of a request ask for beside those that the gateway reads itself. */
export interface AskedWork {
  readonly fields: readonly BoundedField[]
  /** Tokens that are made beside the limit on output; 0 in nearly every request. */
  readonly besideTokens: number
  /** Whether a limit has to be sent even where the client named none. */
  readonly needsLimit: boolean
}

/**
 * So deep in an object do servers look for fields: `nvext.max_thinking_tokens`, `generation_config.thinking_config.…`.
 */
const DEPTH_MAX = 6
/**
 * So many members are looked at in all fields together: twice as many as one object may have, and the work of some
 * milliseconds. What servers read beside OpenAI's fields has a few dozen. Source: own choice.
 */
const MEMBERS_MAX = 20_000
/** Probabilities of tokens that OpenAI's API gives at most. Source: its reference, `top_logprobs`. */
const PROBABILITIES_MAX = 20

/** Values that ask for nothing, beside null, false, nothing and zero. */
const NEUTRAL: Readonly<Record<string, readonly unknown[]>> = {
  service_tier: ['auto', 'default', 'standard', 'standard_only'],
  inference_geo: ['global'],
  id_slot: [-1],
  slot_id: [-1],
  chat_template: ['default'],
  sequential_image_generation: ['disabled'],
  speed: [1, 'standard'],
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === 0 || value === '') return true
  if (value === 'false' || value === '0') return true
  return Array.isArray(value) && value.length === 0
}

function isEmptyObject(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const reasons: Readonly<Partial<Record<WorkKind, string>>> = {
  work: 'would make more work than the credits that are held for this request pay for.',
  search: 'would change the price or the route of the request.',
  route: 'would change the price or the route of the request.',
  input: 'would replace the input that the credits are held for.',
  beams: 'makes answers that are not returned: send 1 or omit it.',
  probabilities: `must be at most ${PROBABILITIES_MAX}.`,
  renders: 'would make more images than `n` says: send `n` alone.',
}

/** Whether a value of such a field asks for nothing that is not held for. */
function isHarmless(kind: WorkKind, name: string, value: unknown): boolean {
  if (isEmpty(value) || (Object.hasOwn(NEUTRAL, name) && NEUTRAL[name]?.includes(value) === true)) return true
  if (kind === 'search') return false
  if (kind === 'beams' || kind === 'probabilities' || kind === 'renders') {
    const most = kind === 'probabilities' ? PROBABILITIES_MAX : 1
    const number = writtenNumber(value)
    return number !== null && number >= 0 && number <= most
  }
  return isEmptyObject(value)
}

interface MembersOfText {
  readonly kept: ReadonlyMap<string, Span>
  readonly earlier: readonly (readonly [name: string, span: Span])[]
}

/** Collects what a request asks for. One for each request. */
export class WorkReader implements AskedWork {
  readonly fields: BoundedField[] = []
  besideTokens = 0
  needsLimit = false
  /** How often a field asked for work. */
  #asks = 0
  /** How many members were looked at. */
  #seen = 0
  readonly #table: FieldTable
  /** The text that goes on; null where it is written anew. */
  readonly #text: Buffer | null

  constructor(table: FieldTable, text: Buffer | null) {
    this.#table = table
    this.#text = text
  }

  /** Reads a member of the outermost object. @throws {ServiceError} as `WorkGuard.readBody`. */
  member(name: string, value: unknown, span: Span | null): void {
    this.#field([name], value, span, false)
  }

  #field(path: readonly string[], value: unknown, span: Span | null, isListed: boolean): void {
    if (++this.#seen > MEMBERS_MAX) throw tooManyMembers(path, MEMBERS_MAX)
    if (value === null || value === undefined) return
    const name = path.at(-1) ?? ''
    const kind = this.#kindOf(path, name)
    // A reader that copies the body member by member may find a limit there, and nothing else is read so.
    if (PROTOTYPES.has(path[0] ?? '') && kind !== null && kind !== 'limit') return
    switch (kind) {
      case 'content':
      case 'harmless':
        return
      case 'renders':
        // At the top it is left out; within an object it would go on.
        if (path.length === 1 || isHarmless(kind, name, value)) return
        throw unsupportedField(path, reasons[kind] ?? '')
      case 'work':
      case 'search':
      case 'route':
      case 'input':
      case 'beams':
      case 'probabilities':
        if (isHarmless(kind, name, value)) return
        throw unsupportedField(path, reasons[kind] ?? '')
      case 'endless':
        if (isEmpty(value)) return
        this.needsLimit = true
        this.#asks++
        return
      case 'prediction':
        this.besideTokens += Buffer.byteLength(JSON.stringify(value))
        this.#asks++
        return
      case null:
      case 'holder':
        if (isModel(path, value)) throw unsupportedField(path, reasons.route ?? '')
        return this.#inside(path, value, span, isListed)
      default:
        this.#bounded({ path, kind, value, span, isListed })
        if (isObject(value) || Array.isArray(value)) this.#inside(path, value, span, isListed)
    }
  }

  /** A limit within what is said of thoughts is one of thoughts. */
  #kindOf(path: readonly string[], name: string): WorkKind | UnknownKind | null {
    const kind = this.#table.kindOf(name)
    if (kind === null) return null
    // One letter means something only where servers keep their parameters, or counts what is sold by the piece.
    const isLetter = path.length > 1 && kind !== 'renders' && foldName(name)?.length === 1
    if (isLetter && this.#table.kindOf(path.at(-2) ?? '') !== 'holder') return null
    const isOfThoughts = kind === 'limit' && path.slice(0, -1).some((part) => THOUGHTS.has(part))
    return isOfThoughts ? 'budget' : kind
  }

  #bounded(field: BoundedField): void {
    const { kind, value } = field
    // What no reader takes for a number is no length: only what ends an answer has to be one.
    const isEnd = kind === 'limit' || kind === 'beside'
    const isScalar = typeof value === 'number' || typeof value === 'string'
    if (!isEnd && (!isScalar || writtenNumber(value) === null)) return
    this.fields.push(field)
    this.#asks++
    if ((kind === 'limit' || kind === 'least') && !PROTOTYPES.has(field.path[0] ?? '')) this.needsLimit = true
  }

  #inside(path: readonly string[], value: unknown, span: Span | null, isListed: boolean): void {
    if (path.length >= DEPTH_MAX) return
    if (isObject(value)) return this.#members(path, value, span, isListed)
    if (!Array.isArray(value) || !value.some(isObject)) return
    const spans = span === null ? null : this.#objectsIn(span, value)
    for (const [index, entry] of value.entries()) {
      if (isObject(entry)) this.#members([...path, String(index)], entry, spans?.get(index) ?? null, true)
    }
  }

  /**
   * Reads an object, each value of a doubled key once: two readers see two values there, so one of them would be compared
   * and the other obeyed.
   *
   * @throws {ServiceError} `invalid_value` for a doubled key of which a value asks for work.
   */
  #members(path: readonly string[], value: Json, span: Span | null, isListed: boolean): void {
    if (span === null) {
      for (const [name, inner] of Object.entries(value)) this.#field([...path, name], inner, null, isListed)
      return
    }
    const { kept, earlier } = this.#membersIn(span)
    for (const [name, inner] of earlier) {
      const before = this.#asks
      this.#field([...path, name], this.#parsed(inner), inner, isListed)
      if (this.#asks > before) throw doubledField([...path, name])
    }
    const doubled = new Set(earlier.map(([name]) => name))
    for (const [name, inner] of Object.entries(value)) {
      const before = this.#asks
      this.#field([...path, name], inner, kept.get(name) ?? null, isListed)
      if (this.#asks > before && doubled.has(name)) throw doubledField([...path, name])
    }
  }

  /** Members of an object: the last of each name, as `JSON.parse` keeps it, and those before it of the same name. */
  #membersIn({ start, end }: Span): MembersOfText {
    const kept = new Map<string, Span>()
    const earlier: [string, Span][] = []
    walkMembers(this.#slice({ start, end }), (name, { valueStart, valueEnd }) => {
      const before = kept.get(name)
      if (before !== undefined) earlier.push([name, before])
      kept.set(name, { start: start + valueStart, end: start + valueEnd })
    })
    return { kept, earlier }
  }

  /** The objects of a list, by their places in it. */
  #objectsIn({ start, end }: Span, list: readonly unknown[]): ReadonlyMap<number, Span> {
    const objects = new Map<number, Span>()
    let index = 0
    walkElements(this.#slice({ start, end }), (from, to) => {
      if (isObject(list[index])) objects.set(index, { start: start + from, end: start + to })
      index++
    })
    return objects
  }

  /** Each byte is parsed once for each level at most. */
  #parsed(span: Span): unknown {
    return JSON.parse(this.#slice(span).toString('utf8'))
  }

  #slice({ start, end }: Span): Buffer {
    return (this.#text ?? Buffer.alloc(0)).subarray(start, end)
  }
}

/** Members that every object has in JavaScript. */
const PROTOTYPES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])
const THOUGHTS: ReadonlySet<string> = new Set(['reasoning', 'thinking', 'thinking_config', 'reasoning_config'])

/** Another model within an object that servers read fields from. */
function isModel(path: readonly string[], value: unknown): boolean {
  const name = path.at(-1)
  const isInside = path.length > 1 && !PROTOTYPES.has(path[0] ?? '')
  return isInside && (name === 'model' || name === 'models') && (typeof value === 'string' || Array.isArray(value))
}
