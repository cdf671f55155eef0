/** What all JSON requests are read by: an object, its members, and their spelling. */
import { isUtf8 } from 'node:buffer'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ServiceError } from '../platform/errors/service-error.ts'
import { DuplicateKeyError, type JsonBody, scanMembers, textStart } from '../platform/json/json-body.ts'
import { doubledField } from './field-errors.ts'
import { parseInTurns, STRUCTURE_BYTES_MAX, TooDenseError } from '../platform/json/parse-in-turns.ts'
import { writeInTurns } from '../platform/json/write-in-turns.ts'
import { JsonCounter, JsonLimitError, type JsonLimits, REQUEST_JSON } from '../platform/json/json-limits.ts'

/** What a body has too much of. */
const limitTexts: Readonly<Record<keyof JsonLimits, (most: string) => string>> = {
  depth: (most) => `at most ${most} levels of objects and arrays`,
  objectMembers: (most) => `at most ${most} members in one object`,
  members: (most) => `at most ${most} members of all objects together`,
  elements: (most) => `at most ${most} elements of all arrays together`,
  numberLength: (most) => `numbers of at most ${most} characters`,
}

declare const COUNTED: unique symbol

/** Bytes of a body whose structure was counted: nothing parses any other. */
export type CountedJson = Buffer & { readonly [COUNTED]: true }

/** A body that may be parsed, and how many members and elements it has. */
export interface CountedBody {
  readonly text: CountedJson
  readonly values: number
}

/**
 * Counts a body's structure before anything reads it.
 *
 * @throws {ServiceError} `invalid_value`, naming the outermost member that holds too much.
 */
export function countStructure(text: Buffer): CountedBody {
  const counter = new JsonCounter(REQUEST_JSON)
  try {
    counter.count(text)
  } catch (error) {
    throw tooMuch(error)
  }
  return { text: text as CountedJson, values: counter.values }
}

/** The same, in many short turns of the event loop where the body is large. @throws {ServiceError} as that. */
export async function countInTurns(text: Buffer): Promise<CountedBody> {
  if (text.length < LARGE_BYTES) return countStructure(text)
  await nextTurn()
  const counter = new JsonCounter(REQUEST_JSON)
  try {
    await counter.countInTurns(text, nextTurn)
  } catch (error) {
    throw tooMuch(error)
  }
  return { text: text as CountedJson, values: counter.values }
}

function tooMuch(error: unknown): unknown {
  if (!(error instanceof JsonLimitError)) return error
  const { limit, most, param } = error
  const subject = param === null ? 'the body' : `'${param}'`
  const expected = limitTexts[limit](most.toLocaleString('en-US'))
  return new ServiceError('invalid_value', `Invalid value for ${subject}: expected ${expected}.`, {
    param,
    cause: error,
  })
}

/** Bodies from this size on are parsed in many turns, in bytes. Source: own choice; below it a parse takes 4 ms at most. */
const LARGE_BYTES = 512 * 1024

/** What was parsed ahead, by its text. */
const ahead = new WeakMap<Buffer, { readonly value: unknown }>()

function invalidJson(cause: unknown): ServiceError {
  return new ServiceError('invalid_json', 'The body is not valid JSON.', { cause })
}

/**
 * Parses a large body in many short turns of the event loop: its next reader takes what came of it. A small one is
 * parsed by that reader.
 *
 * @throws {ServiceError} `invalid_json`; `invalid_value` for too much structure beside long strings.
 */
export async function parseAhead(text: CountedJson): Promise<void> {
  if (text.length < LARGE_BYTES) return
  await nextTurn()
  if (!isUtf8(text)) throw invalidJson(new SyntaxError('The body is not UTF-8 text'))
  try {
    ahead.set(text, { value: await parseInTurns(text, nextTurn) })
  } catch (error) {
    if (!(error instanceof TooDenseError)) throw invalidJson(error)
    const most = STRUCTURE_BYTES_MAX / 1_048_576
    const message = `Invalid value for the body: expected at most ${most} MiB beside strings of 256 bytes and more.`
    throw new ServiceError('invalid_value', message, { param: null, cause: error })
  }
}

/**
 * The text of a body that was made here of one whose structure was counted. A large one is written, and parsed for its
 * reader, in many turns.
 *
 * @param bytes of the body that it was made of.
 */
export async function writeCounted(value: object, bytes: number): Promise<CountedJson> {
  if (bytes < LARGE_BYTES) return Buffer.from(JSON.stringify(value)) as CountedJson
  const text = (await writeInTurns(value, nextTurn)) as CountedJson
  await parseAhead(text)
  return text
}

/**
 * Reads a body that has to be JSON in UTF-8.
 *
 * @throws {ServiceError} `invalid_json`.
 */
export function parseJson(text: CountedJson): unknown {
  const parsed = ahead.get(text)
  if (parsed !== undefined) {
    // Given out once: it belongs to its reader.
    ahead.delete(text)
    return parsed.value
  }
  try {
    if (!isUtf8(text)) throw new SyntaxError('The body is not UTF-8 text')
    return JSON.parse(text.toString('utf8', textStart(text)))
  } catch (error) {
    throw invalidJson(error)
  }
}

/**
 * Reads a body that has to be one JSON object in UTF-8.
 *
 * @throws {ServiceError} `invalid_json`.
 */
export function parseJsonObject(text: CountedJson): Record<string, unknown> {
  const value = parseJson(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new ServiceError('invalid_json', 'The body must be a JSON object.')
}

/**
 * Finds where the top-level members of a body are.
 *
 * @throws {ServiceError} `invalid_value` for a key that appears twice.
 */
export function scanBody(text: Buffer): JsonBody['members'] {
  try {
    return scanMembers(text)
  } catch (error) {
    if (!(error instanceof DuplicateKeyError)) throw error
    throw doubledField([error.key], error)
  }
}

/** A name as readers see it that care for no case: capitals, and the letters that fold to an ordinary one (ſ, K). */
function foldCase(name: string): string {
  return name.toUpperCase().toLowerCase()
}

/** Finds deciding fields in another spelling. Made once for each kind of request. */
export class SpellingCheck {
  readonly #fields: ReadonlySet<string>
  readonly #folded: ReadonlyMap<string, string>
  readonly #lengthMax: number

  /** @param fields that the gateway reads of such a request. */
  constructor(fields: readonly string[]) {
    this.#fields = new Set(fields)
    this.#folded = new Map([...this.#fields].map((field) => [foldCase(field), field]))
    this.#lengthMax = Math.max(...fields.map(({ length }) => length))
  }

  /**
   * Refuses a deciding field in another spelling: to the gateway it is an unknown field, to an upstream that cares for
   * no case it is the field itself, and its last value wins. Source: Go, package encoding/json, Unmarshal.
   *
   * @throws {ServiceError} `unsupported_parameter`.
   */
  refuse(names: Iterable<string>): void {
    for (const name of names) {
      // No letter folds to less than one, so a longer name is none of the fields.
      if (name.length > this.#lengthMax || this.#fields.has(name)) continue
      const field = this.#folded.get(foldCase(name))
      if (field === undefined) continue
      const param = name.slice(0, 64)
      throw new ServiceError('unsupported_parameter', `Unsupported parameter: '${param}' must be written '${field}'.`, {
        param,
      })
    }
  }
}
