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
 * Finds the end of a string in time that grows with its length alone, whatever it is written with.
 *
 * @param from offset of the opening quote.
 * @returns the offset after the closing quote; the length of the text where there is none.
 */
export function stringEnd(text: Buffer, from: number): number {
  let at = from + 1
  for (;;) {
    const near = Math.min(at + NEAR_BYTES, text.length)
    while (at < near) {
      const byte = text[at]
      if (byte === QUOTE) return at + 1
      at += byte === BACKSLASH ? 2 : 1
    }
    const quote = text.indexOf(QUOTE, at)
    if (quote === -1) return text.length
    let slashes = 0
    while (quote - slashes > at && text[quote - 1 - slashes] === BACKSLASH) slashes++
    if (slashes % 2 === 0) return quote + 1
    at = quote + 1
  }
}

/** Digits, signs, points and exponents. */
export function isNumberByte(byte: number | undefined): boolean {
  if (byte === undefined) return false
  return (byte >= 0x30 && byte <= 0x39) || byte === 0x2e || byte === 0x2d || byte === 0x2b || (byte | 0x20) === 0x65
}
