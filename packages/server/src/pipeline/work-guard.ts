/**
 * Keeps a request from making an upstream do more than is held for. Servers read fields of their own beside OpenAI's:
 * some set the same limit under another name, some multiply the work. Source: decision 0081; the lists of fields are in
 * `upstreams/work-fields/`.
 */
import type { UsageType } from '@svc/contract'
import { ServiceError } from '../platform/errors/service-error.ts'
import { type JsonBody, type JsonMember, walkMembers } from '../platform/json/json-body.ts'
import { FieldTable } from '../upstreams/work-fields/field-table.ts'
import { foldName } from '../upstreams/work-fields/fold-name.ts'
import type { UnknownKind } from '../upstreams/work-fields/name-words.ts'
import type { WorkKind } from '../upstreams/work-fields/work-field.ts'
import { writtenNumber } from '../upstreams/work-fields/written-number.ts'

type Json = Readonly<Record<string, unknown>>

export type BoundedKind = Extract<WorkKind, 'limit' | 'budget' | 'beside' | 'least' | 'answers'> | UnknownKind

/** A field whose value is compared with what is held for. */
interface BoundedField {
  /** From the body inwards. */
  readonly path: readonly string[]
  readonly kind: BoundedKind
  readonly value: unknown
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
/** Probabilities of tokens that OpenAI's API gives at most. Source: its reference, `top_logprobs`. */
const PROBABILITIES_MAX = 20

/** Values that ask for nothing, beside null, false, nothing and zero. */
const NEUTRAL: Readonly<Record<string, readonly unknown[]>> = {
  service_tier: ['auto', 'default', 'standard'],
  id_slot: [-1],
  slot_id: [-1],
  chat_template: ['default'],
  sequential_image_generation: ['disabled'],
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

/** The path of a field as errors name it. */
function nameOf(path: readonly string[]): string {
  return path
    .map((part) => part.slice(0, 64))
    .join('.')
    .slice(0, 200)
}

/** @returns the 400 for a field, by its path. */
export function unsupportedField(path: readonly string[], reason: string): ServiceError {
  const param = nameOf(path)
  return new ServiceError('unsupported_parameter', `Unsupported parameter: '${param}' ${reason}`, { param })
}

const reasons: Readonly<Partial<Record<WorkKind, string>>> = {
  work: 'would make more work than the credits that are held for this request pay for.',
  search: 'would change the price or the route of the request.',
  route: 'would change the price or the route of the request.',
  input: 'would replace the input that the credits are held for.',
  beams: 'makes answers that are not returned: send 1 or omit it.',
  probabilities: `must be at most ${PROBABILITIES_MAX}.`,
}

/** Whether a value of such a field asks for nothing that is not held for. */
function isHarmless(kind: WorkKind, name: string, value: unknown): boolean {
  if (isEmpty(value) || (Object.hasOwn(NEUTRAL, name) && NEUTRAL[name]?.includes(value) === true)) return true
  if (kind === 'search') return false
  if (kind === 'beams' || kind === 'probabilities') {
    const most = kind === 'beams' ? 1 : PROBABILITIES_MAX
    const number = writtenNumber(value)
    return number !== null && number >= 0 && number <= most
  }
  return isEmptyObject(value)
}

/** Collects what a request asks for. One for each request. */
class WorkReader {
  readonly fields: BoundedField[] = []
  besideTokens = 0
  needsLimit = false
  readonly #table: FieldTable
  /** Names that the gateway reads itself, at the top. */
  readonly #own: ReadonlySet<string>

  constructor(table: FieldTable, own: ReadonlySet<string>) {
    this.#table = table
    this.#own = own
  }

  top(names: Iterable<string>, value: Json, sliceOf: (name: string) => Buffer | null): void {
    for (const name of names) {
      if (!this.#own.has(name)) this.#field([name], value[name], sliceOf(name), false)
    }
  }

  /** @param slice source text of the value; null where there is none, as inside of lists. */
  #field(path: readonly string[], value: unknown, slice: Buffer | null, isListed: boolean): void {
    if (value === null || value === undefined) return
    const name = path.at(-1) ?? ''
    const kind = this.#kindOf(path, name)
    // A reader that copies the body member by member may find a limit there, and nothing else is read so.
    if (PROTOTYPES.has(path[0] ?? '') && kind !== null && kind !== 'limit') return
    switch (kind) {
      case 'content':
      case 'harmless':
        return
      case 'work':
      case 'search':
      case 'route':
      case 'input':
      case 'beams':
      case 'probabilities':
        if (isHarmless(kind, name, value)) return
        throw unsupportedField(path, reasons[kind] ?? '')
      case 'endless':
        this.needsLimit ||= !isEmpty(value)
        return
      case 'prediction':
        this.besideTokens += Buffer.byteLength(JSON.stringify(value))
        return
      case 'renders':
        return
      case null:
      case 'holder':
        if (isModel(path, value)) throw unsupportedField(path, reasons.route ?? '')
        return this.#inside(path, value, slice, isListed)
      default:
        this.#bounded({ path, kind, value, isListed })
        if (isObject(value) || Array.isArray(value)) this.#inside(path, value, slice, isListed)
    }
  }

  /** A limit within what is said of thoughts is one of thoughts. */
  #kindOf(path: readonly string[], name: string): WorkKind | UnknownKind | null {
    const kind = this.#table.kindOf(name)
    // One letter means something only where servers keep their parameters.
    if (path.length > 1 && foldName(name)?.length === 1 && this.#table.kindOf(path.at(-2) ?? '') !== 'holder')
      return null
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
    if ((kind === 'limit' || kind === 'least') && !PROTOTYPES.has(field.path[0] ?? '')) this.needsLimit = true
  }

  #inside(path: readonly string[], value: unknown, slice: Buffer | null, isListed: boolean): void {
    if (path.length >= DEPTH_MAX) return
    if (Array.isArray(value)) {
      for (const [index, entry] of value.entries()) {
        if (isObject(entry)) this.#members([...path, String(index)], entry, null, true)
      }
    } else if (isObject(value)) this.#members(path, value, slice, isListed)
  }

  #members(path: readonly string[], value: Json, slice: Buffer | null, isListed: boolean): void {
    const members = slice === null ? null : this.#scan(slice, path)
    for (const [name, inner] of Object.entries(value)) {
      const member = members?.get(name)
      const text = member === undefined || slice === null ? null : slice.subarray(member.valueStart, member.valueEnd)
      this.#field([...path, name], inner, text, isListed)
    }
  }

  /**
   * Two readers of a doubled key see two values, so one of them would be compared and the other obeyed.
   *
   * @returns the members that `JSON.parse` sees: of each name the last.
   */
  #scan(slice: Buffer, path: readonly string[]): ReadonlyMap<string, JsonMember> {
    const members = new Map<string, JsonMember>()
    walkMembers(slice, (name, member) => {
      const earlier = members.get(name)
      const inner = [...path, name]
      if (earlier !== undefined && this.#asksInside(inner, slice, [earlier, member])) throw doubledKey(inner)
      members.set(name, member)
    })
    return members
  }

  /** Whether one of several values of a name asks for work. @throws {ServiceError} as `readBody`. */
  #asksInside(path: readonly string[], slice: Buffer, values: readonly JsonMember[]): boolean {
    const probe = new WorkReader(this.#table, this.#own)
    for (const { valueStart, valueEnd } of values) {
      const text = slice.subarray(valueStart, valueEnd)
      probe.#field(path, JSON.parse(text.toString('utf8')), text, false)
    }
    return probe.fields.length > 0 || probe.needsLimit || probe.besideTokens > 0
  }
}

/** Members that every object has in JavaScript. */
const PROTOTYPES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])
const THOUGHTS: ReadonlySet<string> = new Set(['reasoning', 'thinking', 'thinking_config', 'reasoning_config'])

function doubledKey(path: readonly string[]): ServiceError {
  const param = nameOf(path)
  return new ServiceError('invalid_value', `The field '${param}' appears twice in the body.`, { param })
}

/** Another model within an object that servers read fields from. */
function isModel(path: readonly string[], value: unknown): boolean {
  const name = path.at(-1)
  const isInside = path.length > 1 && !PROTOTYPES.has(path[0] ?? '')
  return isInside && (name === 'model' || name === 'models') && (typeof value === 'string' || Array.isArray(value))
}

/** Minds the fields of one kind of request. Made once for each. */
export class WorkGuard {
  readonly #table: FieldTable
  readonly #own: ReadonlySet<string>

  /** @param own names that the gateway reads of such a request and bounds itself. */
  constructor(modality: UsageType, own: readonly string[]) {
    this.#table = new FieldTable(modality)
    this.#own = new Set(own)
  }

  /** Whether a list of some server names the field. */
  isKnown(name: string): boolean {
    return this.#table.isKnown(name)
  }

  /**
   * Reads what a body asks for.
   *
   * @throws {ServiceError} `unsupported_parameter` for what would make more work, or lead elsewhere, in any case;
   *   `invalid_value` for a doubled key where fields are compared.
   */
  readBody({ text, value, members }: JsonBody): AskedWork {
    const reader = new WorkReader(this.#table, this.#own)
    reader.top(members.keys(), value, (name) => {
      const member = members.get(name)
      return member === undefined ? null : text.subarray(member.valueStart, member.valueEnd)
    })
    return reader
  }

  /** Reads what the fields of a form ask for. @throws {ServiceError} as `readBody`. */
  readFields(value: Json): AskedWork {
    const reader = new WorkReader(this.#table, this.#own)
    reader.top(Object.keys(value), value, () => null)
    return reader
  }

  /** The fields without those that set the count of renders anew. */
  withoutRenders(value: Json): Record<string, unknown> {
    return Object.fromEntries(Object.entries(value).filter(([name]) => this.#table.kindOf(name) !== 'renders'))
  }
}
