/** The text of a custom tool's call, read from the arguments of a function while they come. Pure. */
import { recordOf } from '../translated-chat.ts'
import { INPUT_MEMBER } from './offered-tools.ts'

/** So many characters of arguments are looked through for the beginning of the text. Source: own choice. */
const HEAD_MAX = 256

/** The beginning of an object whose first member is the text. */
const HEAD = /^\s*\{\s*"input"\s*:\s*"/

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }

/** Length of an escape of four hexadecimal digits: `\u0041`. */
const UNICODE_LENGTH = 6

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

/** The text of arguments that are whole; the arguments themselves where a model has written no object. */
function textOfWhole(json: string): string {
  if (json === '') return ''
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'string') return value
    const members = recordOf(value)
    const text = members[INPUT_MEMBER] ?? Object.values(members)[0]
    if (typeof text === 'string') return text
    return Object.keys(members).length === 0 ? '' : json
  } catch {
    return json
  }
}

/** Reads the text of one call. */
export class CustomInput {
  /** What has come and is not read. */
  #rest = ''
  #state: 'head' | 'text' | 'over' = 'head'
  #text = ''

  /** Everything that was read. */
  get text(): string {
    return this.#text
  }

  /** @returns the text that can be read now, in addition to what was read before. */
  push(piece: string): string {
    if (this.#state === 'over') return ''
    this.#rest += piece
    if (this.#state === 'head') {
      const head = this.#rest.length - piece.length > HEAD_MAX ? null : HEAD.exec(this.#rest.slice(0, HEAD_MAX))
      if (head === null) return ''
      this.#rest = this.#rest.slice(head[0].length)
      this.#state = 'text'
    }
    return this.#read()
  }

  /** The arguments are whole. @returns the text that is left. */
  end(): string {
    const { length } = this.#text
    if (this.#state === 'head') this.#text = textOfWhole(this.#rest)
    this.#state = 'over'
    return this.#text.slice(length)
  }

  /** Reads up to the closing quote, or to what is not whole yet: an escape, or one half of a character. */
  #read(): string {
    const rest = this.#rest
    let read = ''
    let at = 0
    while (at < rest.length) {
      const character = rest[at] ?? ''
      if (character === '"') {
        this.#state = 'over'
        break
      }
      const length = character !== '\\' ? 1 : rest[at + 1] === 'u' ? UNICODE_LENGTH : 2
      if (at + length > rest.length) break
      const decoded = decode(rest.slice(at, at + length))
      // Half a character, of which the other half is still to come.
      const end = at + length
      if (isHighSurrogate(decoded.charCodeAt(0)) && isCutPair(rest.slice(end, end + UNICODE_LENGTH))) break
      read += decoded
      at = end
    }
    this.#rest = rest.slice(at)
    this.#text += read
    return read
  }
}

/** Whether what follows the first half of a character may be the beginning of its second. */
function isCutPair(next: string): boolean {
  return next === '' || (next.startsWith('\\') && next.length < UNICODE_LENGTH)
}

function decode(written: string): string {
  if (!written.startsWith('\\')) return written
  const kind = written[1] ?? ''
  if (kind !== 'u') return ESCAPES[kind] ?? kind
  const code = Number.parseInt(written.slice(2), 16)
  return Number.isNaN(code) ? written : String.fromCharCode(code)
}
