/** A video that an upstream gives inside of its report, as base64. */
import { Readable } from 'node:stream'
import type { OpenedContent, WantedRange } from './video-upstream.ts'

const INLINE = /^data:(video\/[a-z0-9.+-]{1,40})?[^,]{0,200};base64,/i

/**
 * Opens such a file.
 *
 * @param address a `data:` address.
 * @returns `gone` where there are no bytes, or bytes of something else.
 */
export function openInline(address: string, range: WantedRange | null): OpenedContent {
  const [head, type = 'video/mp4'] = INLINE.exec(address) ?? []
  const bytes = head === undefined ? Buffer.alloc(0) : Buffer.from(address.slice(head.length), 'base64')
  const total = bytes.length
  if (total === 0) return { kind: 'gone' }
  const contentType = type.toLowerCase()
  if (range === null) return opened(bytes, contentType, null)
  if (range.start >= total) return { kind: 'unsatisfiable', total }
  const end = Math.min(range.end, total - 1)
  return opened(bytes.subarray(range.start, end + 1), contentType, { start: range.start, end, total })
}

function opened(
  bytes: Buffer,
  contentType: string,
  part: { readonly start: number; readonly end: number; readonly total: number } | null,
): OpenedContent {
  const body = Readable.from([bytes], { objectMode: false })
  return { kind: 'open', content: { contentType, length: bytes.length, part, body } }
}
