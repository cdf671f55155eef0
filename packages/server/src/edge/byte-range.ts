import type { ByteRange } from '../platform/files/media-files.ts'

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/

/**
 * Reads a `Range` header.
 *
 * @param header from outside; undefined where there was none.
 * @param bytes size of the whole.
 * @returns null for the whole: no header, another unit, several ranges, or something that is no range at all.
 * `unsatisfiable` when it begins behind the end. Source: RFC 9110, section 14.2.
 */
export function parseByteRange(header: string | undefined, bytes: number): ByteRange | 'unsatisfiable' | null {
  const [, first, last] = RANGE.exec(header?.replaceAll(/[ \t]/g, '').toLowerCase() ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return null
  if (first === '') {
    const length = Math.min(Number(last), bytes)
    return length === 0 ? 'unsatisfiable' : { start: bytes - length, end: bytes - 1 }
  }
  if (last !== '' && Number(last) < Number(first)) return null
  if (Number(first) >= bytes) return 'unsatisfiable'
  return { start: Number(first), end: last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1) }
}
