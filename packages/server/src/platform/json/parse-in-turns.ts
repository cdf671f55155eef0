/**
 * Parses a large JSON text in many short turns of the event loop, so that no client waits for another's body. Long
 * strings are cut out of the text and read piece by piece; what is left, its structure, is parsed at once. The result
 * is that of `JSON.parse`. Source: decision 0151.
 */
import { randomBytes } from 'node:crypto'
import { BACKSLASH, COLON, QUOTE, stringEnd } from './json-bytes.ts'
import { findLongStrings, LONG_BYTES, TURN_BYTES } from './find-long-strings.ts'
import { textStart } from './json-body.ts'

/** Values, or strings, that one turn looks at. */
const TURN_VALUES = 5_000
/**
 * The most that may be left without the long strings, in bytes: it is parsed in one turn. Ten thousand messages of a
 * sentence each have a tenth of it. Source: own choice.
 */
export const STRUCTURE_BYTES_MAX = 8 * 1024 * 1024

/** A text has too much beside its long strings. */
export class TooDenseError extends Error {}

/** Where a long string is, with its quotes. */
interface Cut {
  readonly start: number
  readonly end: number
}

/** No client can write it: it is made anew with each process. JSON text cannot hold its first character as it is. */
const MARK = `\0${randomBytes(12).toString('hex')}`
const WRITTEN_MARK = `\\u0000${MARK.slice(1)}`

/** Lets other work of the event loop come between. */
type Pause = () => Promise<void>

function isKey(text: Buffer, end: number): boolean {
  let at = end
  while ((text[at] ?? 0x21) <= 0x20) at++
  return text[at] === COLON
}

interface Skeleton {
  readonly text: string
  readonly cuts: readonly Cut[]
}

/** @throws {TooDenseError} */
async function cutStrings(text: Buffer, pause: Pause): Promise<Skeleton> {
  const cuts: Cut[] = []
  const pieces: Buffer[] = []
  let from = textStart(text)
  let bytes = 0
  let seen = 0
  const keep = (to: number): void => {
    const piece = text.subarray(from, to)
    bytes += piece.length
    if (bytes > STRUCTURE_BYTES_MAX) throw new TooDenseError('The text has too much structure')
    pieces.push(piece)
  }
  for (let quote = text.indexOf(QUOTE, from); quote !== -1;) {
    const end = stringEnd(text, quote)
    if (end - quote >= LONG_BYTES && !isKey(text, end)) {
      keep(quote)
      pieces.push(Buffer.from(`"${WRITTEN_MARK}${cuts.length}"`))
      cuts.push({ start: quote, end })
      from = end
    }
    if (++seen % TURN_VALUES === 0) await pause()
    quote = text.indexOf(QUOTE, end)
  }
  keep(text.length)
  await pause()
  return { text: Buffer.concat(pieces).toString('utf8'), cuts }
}

/** Bytes of an escape at most: \uXXXX. */
const ESCAPE_BYTES = 6

/** The end of a piece of a string that cuts neither a character nor an escape in two. */
function pieceEnd(text: Buffer, from: number, end: number): number {
  let most = Math.min(from + TURN_BYTES, end)
  if (most === end) return end
  while (((text[most] ?? 0) & 0xc0) === 0x80) most--
  const slash = text.lastIndexOf(BACKSLASH, most - 1)
  if (slash <= most - ESCAPE_BYTES || slash < from) return most
  // Of backslashes in a row each second is one that the one before has escaped.
  let slashes = 1
  while (slash - slashes >= from && text[slash - slashes] === BACKSLASH) slashes++
  if (slashes % 2 === 0) return most
  const next = slash + (text[slash + 1] === 0x75 ? ESCAPE_BYTES : 2)
  return next > most ? Math.min(next, end) : most
}

/** @throws {SyntaxError} for a string that is none. */
async function readString(text: Buffer, { start, end }: Cut, pause: Pause): Promise<string> {
  if (end - start <= TURN_BYTES) return JSON.parse(text.toString('utf8', start, end)) as string
  const last = end - 1
  // Two quotes that an odd number of backslashes precedes are within a string that never ends.
  let slashes = 0
  for (; text[last - 1 - slashes] === BACKSLASH; slashes++) if (slashes % TURN_BYTES === TURN_BYTES - 1) await pause()
  if (text[last] !== QUOTE || slashes % 2 === 1) throw new SyntaxError('Unterminated string in JSON')
  let read = ''
  for (let at = start + 1; at < last;) {
    const to = pieceEnd(text, at, last)
    read += JSON.parse(`"${text.toString('utf8', at, to)}"`) as string
    at = to
    await pause()
  }
  return read
}

async function readStrings(text: Buffer, cuts: readonly Cut[], pause: Pause): Promise<readonly string[]> {
  const strings: string[] = []
  let bytes = 0
  for (const cut of cuts) {
    strings.push(await readString(text, cut, pause))
    bytes += cut.end - cut.start
    if (bytes < TURN_BYTES && strings.length % TURN_VALUES !== 0) continue
    bytes = 0
    await pause()
  }
  return strings
}

function cutIn(value: unknown): number | null {
  if (typeof value !== 'string' || value.charCodeAt(0) !== 0 || !value.startsWith(MARK)) return null
  return Number(value.slice(MARK.length))
}

type Nested = Record<string | number, unknown>

/** A long list has no names of its places made. */
function placesOf(value: object): { readonly keys: readonly string[] | null; readonly count: number } {
  if (Array.isArray(value)) return { keys: null, count: value.length }
  const keys = Object.keys(value)
  return { keys, count: keys.length }
}

/** Puts the strings back. */
async function restore(root: unknown, strings: readonly string[], pause: Pause): Promise<unknown> {
  const own = cutIn(root)
  if (own !== null) return strings[own]
  const open: unknown[] = [root]
  let seen = 0
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue
    const { keys, count } = placesOf(value)
    for (let at = 0; at < count; at++) {
      const key = keys?.[at] ?? at
      const member = (value as Nested)[key]
      const cut = cutIn(member)
      // A member `__proto__` of a JSON text is one as any other.
      if (cut !== null) {
        const found = { value: strings[cut], writable: true, enumerable: true, configurable: true }
        Object.defineProperty(value, key, found)
      } else if (typeof member === 'object' && member !== null) open.push(member)
      if (++seen % TURN_VALUES === 0) await pause()
    }
  }
  return root
}

/**
 * Parses a text that is UTF-8.
 *
 * @param pause lets other work of the event loop come between.
 * @throws {SyntaxError} where it is no JSON.
 * @throws {TooDenseError} where more than `STRUCTURE_BYTES_MAX` are left without its long strings.
 */
export async function parseInTurns(text: Buffer, pause: Pause): Promise<unknown> {
  await findLongStrings(text, pause)
  const { text: skeleton, cuts } = await cutStrings(text, pause)
  await pause()
  const root: unknown = JSON.parse(skeleton)
  await pause()
  return restore(root, await readStrings(text, cuts, pause), pause)
}
