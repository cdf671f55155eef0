/**
 * JSON as source text: where the values of an object are, so that a few can be replaced and all others stay byte for
 * byte.
 *
 * Parsing and writing again would change big integers, `1e400` and `1.0`, and a float would hold money. This room knows
 * bytes only; it trusts that `JSON.parse` has accepted the text before. Source: decision 0006 (the body goes upstream
 * as it came).
 */

import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  isNumberByte,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  stringEnd,
} from './json-bytes.ts'

export interface JsonMember {
  /** Offset of the key's opening quote. */
  readonly keyStart: number
  readonly valueStart: number
  /** Offset after the value's last byte. */
  readonly valueEnd: number
}

/** A JSON object's source text, its parsed value, and the byte ranges of its top-level members. */
export interface JsonBody {
  readonly text: Buffer
  readonly value: Readonly<Record<string, unknown>>
  readonly members: ReadonlyMap<string, JsonMember>
}

/** A top-level key appears twice, so that two readers of the text could see two different requests. */
export class DuplicateKeyError extends Error {
  readonly key: string

  constructor(key: string) {
    super(`The key ${JSON.stringify(key)} appears twice at the top level`)
    this.name = 'DuplicateKeyError'
    this.key = key
  }
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

function skipSpace(text: Buffer, from: number): number {
  let at = from
  while (isSpace(text[at])) at++
  return at
}

/** Offset after the last byte of the value that begins at `from`. */
function valueEnd(text: Buffer, from: number): number {
  const first = text[from]
  if (first === QUOTE) return stringEnd(text, from)
  let depth = 0
  let at = from
  while (at < text.length) {
    const byte = text[at]
    if (byte === QUOTE) {
      at = stringEnd(text, at)
      continue
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (depth === 0) return at
      depth--
      if (depth === 0) return at + 1
    } else if (depth === 0 && (byte === COMMA || isSpace(byte))) return at
    at++
  }
  return at
}

/** Offset after the byte order mark that some programs write before their text; 0 without one. */
export function textStart(text: Buffer): number {
  return text[0] === 0xef && text[1] === 0xbb && text[2] === 0xbf ? 3 : 0
}

/** Reports each top-level member of a JSON object, in the order of the text, doubled keys included. */
export function walkMembers(text: Buffer, onMember: (key: string, member: JsonMember) => void): void {
  let at = skipSpace(text, textStart(text))
  if (text[at] !== OPEN_BRACE) return
  at = skipSpace(text, at + 1)
  while (text[at] === QUOTE) {
    const keyStart = at
    const keyEnd = stringEnd(text, at)
    const written = text.toString('utf8', keyStart + 1, keyEnd - 1)
    const key: string = written.includes('\\') ? String(JSON.parse(`"${written}"`)) : written
    at = skipSpace(text, keyEnd)
    if (text[at] !== COLON) return
    const valueStart = skipSpace(text, at + 1)
    const end = valueEnd(text, valueStart)
    onMember(key, { keyStart, valueStart, valueEnd: end })
    at = skipSpace(text, end)
    if (text[at] !== COMMA) return
    at = skipSpace(text, at + 1)
  }
}

/** Reports where each element of a JSON array is, in the order of the text; none for what is no array. */
export function walkElements(text: Buffer, onElement: (start: number, end: number) => void): void {
  let at = skipSpace(text, 0)
  if (text[at] !== OPEN_BRACKET) return
  at = skipSpace(text, at + 1)
  while (at < text.length && text[at] !== CLOSE_BRACKET) {
    const end = valueEnd(text, at)
    onElement(at, end)
    at = skipSpace(text, end)
    if (text[at] !== COMMA) return
    at = skipSpace(text, at + 1)
  }
}

/**
 * Finds the top-level members of a JSON object.
 *
 * @param text a complete JSON object that `JSON.parse` accepts; a byte order mark before it is skipped.
 * @throws {DuplicateKeyError} when a top-level key appears twice, whatever escapes it is written with.
 */
export function scanMembers(text: Buffer): Map<string, JsonMember> {
  const members = new Map<string, JsonMember>()
  walkMembers(text, (key, member) => {
    if (members.has(key)) throw new DuplicateKeyError(key)
    members.set(key, member)
  })
  return members
}

/** The member that `JSON.parse` reads under a key: the last of that name; null when there is none. */
function lastMember(text: Buffer, name: string): JsonMember | null {
  let found: JsonMember | null = null
  walkMembers(text, (key, member) => {
    if (key === name) found = member
  })
  return found
}

/** What becomes of top-level members: key → JSON text of the new value, or null for one that is left out. */
export type MemberEdits = ReadonlyMap<string, string | null>

/** Writes an object again with some top-level values exchanged, added or left out; every other value stays as it was. */
export function spliceMembers(body: JsonBody, edits: MemberEdits): Buffer {
  const kept = [...edits].filter((edit): edit is [string, string] => edit[1] !== null)
  const isCut = kept.length < edits.size && [...edits].some(([key, text]) => text === null && body.members.has(key))
  if (isCut) return writeAnew(body, edits)
  const absent = kept.filter(([key]) => !body.members.has(key))
  const ranges = kept
    .flatMap(([key, text]) => {
      const member = body.members.get(key)
      return member === undefined ? [] : [{ member, text }]
    })
    .sort((left, right) => left.member.valueStart - right.member.valueStart)
  const parts: Buffer[] = []
  const open = body.text.indexOf(OPEN_BRACE) + 1
  let copied = textStart(body.text)
  if (absent.length > 0) {
    const added = absent.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')
    parts.push(body.text.subarray(copied, open), Buffer.from(body.members.size > 0 ? `${added},` : added))
    copied = open
  }
  for (const { member, text } of ranges) {
    parts.push(body.text.subarray(copied, member.valueStart), Buffer.from(text))
    copied = member.valueEnd
  }
  parts.push(body.text.subarray(copied))
  return Buffer.concat(parts)
}

/** Member by member: what stays is copied, without the blanks between. */
function writeAnew({ text, members }: JsonBody, edits: MemberEdits): Buffer {
  const parts: Buffer[] = []
  const add = (key: string | Buffer, value: string | Buffer): void => {
    parts.push(Buffer.from(parts.length === 0 ? '{' : ','), Buffer.from(key), Buffer.from(':'), Buffer.from(value))
  }
  for (const [key, { keyStart, valueStart, valueEnd: end }] of members) {
    const edit = edits.get(key)
    if (edit !== null) add(text.subarray(keyStart, stringEnd(text, keyStart)), edit ?? text.subarray(valueStart, end))
  }
  for (const [key, edit] of edits) if (edit !== null && !members.has(key)) add(JSON.stringify(key), edit)
  return Buffer.concat([...(parts.length === 0 ? [Buffer.from('{')] : parts), Buffer.from('}')])
}

/**
 * Reads the source text of a number under a key that appears once in the whole text, whatever is around it.
 *
 * An unescaped quote is never inside of a string, so the bytes of the key and its colon are a key indeed.
 *
 * @returns null when the key is absent or appears more than once, has anything but a number, or has space around its
 *   colon. The caller has to know whether the key is the one that was meant.
 */
export function loneNumberText(text: Buffer, key: string): string | null {
  const mark = `"${key}":`
  const at = text.lastIndexOf(mark)
  if (at === -1 || text.indexOf(mark) !== at) return null
  let end = at + mark.length
  while (isNumberByte(text[end])) end++
  const written = text.toString('latin1', at + mark.length, end)
  return NUMBER.test(written) ? written : null
}

const NUMBER = /^-?\d[\d.eE+-]*$/

/**
 * Reads the source text of a number deep inside an object, so that no digit passes through a float.
 *
 * @param path keys from the outermost object inwards.
 * @returns null when the path does not lead to a number.
 */
export function numberText(text: Buffer, path: readonly string[]): string | null {
  let inner = text
  for (const key of path) {
    const member = lastMember(inner, key)
    if (member === null) return null
    inner = inner.subarray(member.valueStart, member.valueEnd)
  }
  const written = inner.toString('latin1')
  return NUMBER.test(written) ? written : null
}
