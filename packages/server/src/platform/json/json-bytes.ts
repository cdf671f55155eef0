/** The bytes that JSON text is made of, and where its strings end. */

export const QUOTE = 0x22
export const BACKSLASH = 0x5c
export const COLON = 0x3a
export const COMMA = 0x2c
export const OPEN_BRACE = 0x7b
export const CLOSE_BRACE = 0x7d
export const OPEN_BRACKET = 0x5b
export const CLOSE_BRACKET = 0x5d

/** Bytes that are looked at one by one before the native search is asked, whose call costs as much. */
const NEAR_BYTES = 64

/**
 * Ends of long strings, by the offsets of their opening quotes in the memory that holds their text: its parts share it.
 */
const longStrings = new WeakMap<ArrayBufferLike, ReadonlyMap<number, number>>()

/**
 * Keeps where the long strings of a text end: each later walk over it, or over a part of it, passes them in one step. A
 * text that shares its memory with others is not remembered: that memory may hold another text next.
 */
export function rememberStrings({ buffer, length }: Buffer, ends: ReadonlyMap<number, number>): void {
  if (length === buffer.byteLength) longStrings.set(buffer, ends)
}

/** Whether the long strings of a text were found before. */
export function knowsStrings({ buffer }: Buffer): boolean {
  return longStrings.has(buffer)
}

function knownEnd(text: Buffer, from: number): number | null {
  const end = longStrings.get(text.buffer)?.get(text.byteOffset + from)
  return end === undefined ? null : Math.min(end - text.byteOffset, text.length)
}

/** Where a search for the end of a string has come to. */
export interface StringSearch {
  readonly isEnd: boolean
  /** The offset after the closing quote, or where the search goes on. */
  readonly at: number
}

/** So many of the bytes before `end` are backslashes in a row; none before `start` is looked at. */
function slashesBefore(text: Buffer, end: number, start: number): number {
  let count = 0
  while (end - count > start && text[end - 1 - count] === BACKSLASH) count++
  return count
}

/**
 * Searches for the end of a string up to a place, or a byte further.
 *
 * @param from within the string, not in the middle of an escape.
 */
export function searchEnd(text: Buffer, from: number, to: number): StringSearch {
  const part = text.subarray(0, to)
  let at = from
  while (at < part.length) {
    const near = Math.min(at + NEAR_BYTES, part.length)
    while (at < near) {
      const byte = part[at]
      if (byte === QUOTE) return { isEnd: true, at: at + 1 }
      at += byte === BACKSLASH ? 2 : 1
    }
    const quote = part.indexOf(QUOTE, at)
    const next = quote === -1 ? part.length : quote
    const isEscaped = slashesBefore(part, next, at) % 2 === 1
    if (quote !== -1 && !isEscaped) return { isEnd: true, at: quote + 1 }
    at = Math.max(at, isEscaped ? next + 1 : next)
  }
  return { isEnd: at >= text.length, at: Math.min(at, text.length) }
}

/**
 * Finds the end of a string in time that grows with its length alone, whatever it is written with.
 *
 * @param from offset of the opening quote.
 * @returns the offset after the closing quote; the length of the text where there is none.
 */
export function stringEnd(text: Buffer, from: number): number {
  let at = from + 1
  // Most are short, and end before a look-up would.
  const near = Math.min(at + NEAR_BYTES, text.length)
  while (at < near) {
    const byte = text[at]
    if (byte === QUOTE) return at + 1
    at += byte === BACKSLASH ? 2 : 1
  }
  return knownEnd(text, from) ?? searchEnd(text, at, text.length).at
}

/** Digits, signs, points and exponents. */
export function isNumberByte(byte: number | undefined): boolean {
  if (byte === undefined) return false
  return (byte >= 0x30 && byte <= 0x39) || byte === 0x2e || byte === 0x2d || byte === 0x2b || (byte | 0x20) === 0x65
}
