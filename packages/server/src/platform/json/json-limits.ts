/**
 * Limits of JSON from outside, counted on its bytes before anything parses it: a text of a few megabytes can hold a
 * million members, thousands of levels or a number of a million digits, and all clients wait while one thread reads
 * them.
 */
import { findLongStrings, TURN_BYTES } from './find-long-strings.ts'
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  isNumberByte,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  stringEnd,
} from './json-bytes.ts'

/** How much structure a text may have. */
export interface JsonLimits {
  /** Objects and arrays within each other. */
  readonly depth: number
  /** Members of one object. */
  readonly objectMembers: number
  /** Members of all objects together. */
  readonly members: number
  /** Elements of all arrays together. */
  readonly elements: number
  /** Characters of one number. */
  readonly numberLength: number
}

/**
 * What a request may hold. Long histories have ten thousand messages of some ten members each, and embeddings are
 * asked for with some hundred thousand token ids. Source: decision 0100.
 */
export const REQUEST_JSON: JsonLimits = {
  depth: 256,
  objectMembers: 10_000,
  members: 150_000,
  elements: 400_000,
  numberLength: 1_000,
}

/**
 * What an answer of an upstream may hold: thousands of vectors of thousands of numbers, and log probabilities of every
 * token. Source: decision 0100.
 */
export const ANSWER_JSON: JsonLimits = {
  depth: 512,
  objectMembers: 100_000,
  members: 4_000_000,
  elements: 20_000_000,
  numberLength: 1_000,
}

/** A text has more of something than its limits allow. */
export class JsonLimitError extends Error {
  readonly limit: keyof JsonLimits
  readonly most: number
  /** The member of the outermost object in which it was met; null where there is none. */
  readonly param: string | null

  constructor(limit: keyof JsonLimits, most: number, param: string | null) {
    super(`The JSON text is above the limit of ${limit}, ${most}`)
    this.name = 'JsonLimitError'
    this.limit = limit
    this.most = most
    this.param = param
  }
}

/** How far a text is counted. */
interface Place {
  readonly at: number
  /** What each open object has; null for an array. */
  readonly open: readonly (number | null)[]
  /** Whether the last byte was an opening bracket. */
  readonly isFirst: boolean
}

const START: Place = { at: 0, open: [], isFirst: false }

/** Longest key that is quoted, in bytes. */
const KEY_LENGTH_MAX = 64

/**
 * Counts the structure of JSON texts against limits. Texts that belong together, as the arguments of all calls of one
 * request do, are counted by one.
 */
export class JsonCounter {
  readonly #limits: JsonLimits
  #members = 0
  #elements = 0

  constructor(limits: JsonLimits) {
    this.#limits = limits
  }

  /** Members and elements of what was counted so far. */
  get values(): number {
    return this.#members + this.#elements
  }

  /**
   * Counts one text, in time that grows with its length. It may be anything: what is no JSON is for the parser to
   * refuse.
   *
   * @throws {JsonLimitError} at the first byte that is too much.
   */
  count(text: Buffer): void {
    this.#walk(text, START, text.length)
  }

  /**
   * Counts one large text in many turns of the event loop.
   *
   * @param pause lets other work of the event loop come between.
   * @throws {JsonLimitError} as `count`.
   */
  async countInTurns(text: Buffer, pause: () => Promise<void>): Promise<void> {
    await findLongStrings(text, pause)
    for (let place: Place = START; place.at < text.length;) {
      await pause()
      place = this.#walk(text, place, place.at + TURN_BYTES)
    }
  }

  /** @returns the first place at or behind `stop` where it can go on. */
  #walk(text: Buffer, { at: from, open: outer, isFirst: wasFirst }: Place, stop: number): Place {
    const { depth, numberLength } = this.#limits
    const end = Math.min(stop, text.length)
    const open = [...outer]
    let isFirst = wasFirst
    let at = from
    while (at < end) {
      const byte = text[at] as number
      if (byte <= 0x20) {
        at++
        continue
      }
      if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) open.pop()
      // A comma is between two members, and the first follows the bracket.
      else if (isFirst || byte === COMMA) this.#countOne(open, text, at)
      isFirst = byte === OPEN_BRACE || byte === OPEN_BRACKET
      if (isFirst) {
        if (open.push(byte === OPEN_BRACE ? 0 : null) > depth) this.#refuse('depth', text, at)
      } else if (byte === QUOTE) {
        at = stringEnd(text, at)
        continue
      } else if (isNumberByte(byte)) {
        const start = at
        while (at - start <= numberLength && isNumberByte(text[at])) at++
        if (at - start > numberLength) this.#refuse('numberLength', text, start)
        continue
      }
      at++
    }
    return { at, open, isFirst }
  }

  #countOne(open: (number | null)[], text: Buffer, at: number): void {
    const last = open.length - 1
    if (last < 0) return
    const members = open[last]
    if (members == null) {
      if (++this.#elements > this.#limits.elements) this.#refuse('elements', text, at)
      return
    }
    open[last] = members + 1
    if (members + 1 > this.#limits.objectMembers) this.#refuse('objectMembers', text, at)
    if (++this.#members > this.#limits.members) this.#refuse('members', text, at)
  }

  #refuse(limit: keyof JsonLimits, text: Buffer, at: number): never {
    throw new JsonLimitError(limit, this.#limits[limit], keyBefore(text, at))
  }
}

/** The key of the outermost object's member that a place of the text belongs to; null where it belongs to none. */
function keyBefore(text: Buffer, place: number): string | null {
  let depth = 0
  let key: string | null = null
  let isKey = false
  for (let at = 0; at < place;) {
    const byte = text[at]
    if (byte === QUOTE) {
      const end = stringEnd(text, at)
      if (isKey) key = text.toString('utf8', at + 1, Math.min(end - 1, at + 1 + KEY_LENGTH_MAX))
      isKey = false
      at = end
      continue
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth++
      isKey = depth === 1 && byte === OPEN_BRACE
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--
    // Within the outermost object whatever follows a comma is a key.
    else if (byte === COMMA && depth === 1) isKey = key !== null
    at++
  }
  return key
}
