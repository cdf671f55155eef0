/** Bytes as text and side by side, alike in Node and in browsers. */

const HEX = /^(?:[0-9a-f]{2}){0,1024}$/
const BASE64 = /^[A-Za-z0-9+/]{0,65536}={0,2}$/

/** Several pieces as one. */
export function joinBytes(...pieces: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    joined.set(piece, at)
    at += piece.length
  }
  return joined
}

/** Whether two pieces are the same byte for byte. */
export function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index])
}

/** UTF-8. */
export function bytesOfText(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** Lower case. */
export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** @returns null for what is not lower-case hex. */
export function parseHex(text: string): Uint8Array | null {
  if (!HEX.test(text)) return null
  return Uint8Array.from({ length: text.length / 2 }, (_value, index) =>
    Number.parseInt(text.slice(2 * index, 2 * index + 2), 16),
  )
}

/** Standard base64 with padding. Source: RFC 4648, section 4. */
export function base64Of(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCodePoint(byte)
  return btoa(text)
}

/** @returns null for what is not the one standard way of writing some bytes. */
export function parseBase64(text: string): Uint8Array | null {
  if (!BASE64.test(text) || text.length % 4 !== 0) return null
  const bytes = Uint8Array.from(atob(text), (character) => character.codePointAt(0) ?? 0)
  return base64Of(bytes) === text ? bytes : null
}
