/** Characters of a text that may be a number. */
const TEXT_LENGTH_MAX = 400

/**
 * What numbers are written with, in any width and style. Anything else is seen before a text is normalized: combining
 * marks take the square of their number then, and one Arabic ligature becomes eighteen letters.
 */
const WRITTEN = /^[\s\p{N}\p{P}\p{S}\p{Z}A-Za-z\u{FF21}-\u{FF3A}\u{FF41}-\u{FF5A}\u{1D400}-\u{1D7FF}]*$/u

/**
 * The number that a lenient reader makes of a value: of a number, of numeric text in any writing (`50000`, `5e4`,
 * `50_000`, `0xC350`), or of a yes, which is a one to some.
 *
 * @returns null for what no reader takes for a number.
 */
export function writtenNumber(value: unknown): number | null {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value !== 'string' || value.length > TEXT_LENGTH_MAX || !WRITTEN.test(value)) return null
  const text = value.normalize('NFKC').replace(/[_,'\s]+/g, '')
  const sign = text.startsWith('-') ? -1 : 1
  const digits = text.replace(/^[+-]/, '')
  if (/^inf(?:inity)?$/i.test(digits)) return sign * Infinity
  if (!/^[\d.]/.test(digits)) return null
  const number = Number(digits)
  return Number.isNaN(number) ? null : sign * number
}
