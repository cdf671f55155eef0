import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { ServiceError } from '../platform/errors/service-error.ts'
import type { ByteRange } from '../platform/files/media-files.ts'
import { parseByteRange } from './byte-range.ts'
import { exactLength } from './exact-length.ts'
import type { RouteCall } from './route.ts'
import { READER_STALL_MS } from './sse-writer.ts'

/** One thing to download, wherever its bytes are. */
export interface MediaDownload {
  /** Names the very bytes; quoted as it goes into `etag`. Letters, digits, dots and hyphens. */
  readonly version: string
  /** Proposed to a person who saves it; letters, digits, dots and hyphens. */
  readonly fileName: string
  readonly contentType: string
  readonly bytes: number
  /** How long the caller may keep it, in seconds. */
  readonly maxAgeSeconds: number
  /** Null where it has gone meanwhile. Not called for `HEAD`. */
  readonly open: (range: ByteRange | null) => Promise<Readable | null>
}

/**
 * Nothing that was made may act as a page of this origin, whatever its bytes are. Source: the HTML standard, sandbox.
 */
const SHUT_IN = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/** Types that a browser can show without running anything. */
const SHOWN = /^(?:image\/(?!svg)|video\/|audio\/)/

/**
 * Answers with a file, as far as the caller wants it: whole, a part, only its headers, or nothing when they have it.
 *
 * @throws {ServiceError} 404 `file_not_found`, 416.
 * Source: RFC 9110, sections 13 and 14.
 */
export async function sendMedia({ request, reply }: RouteCall, download: MediaDownload): Promise<FastifyReply> {
  const { bytes, open } = download
  const { range: wanted, 'if-range': condition, 'if-none-match': known } = request.headers
  const etag = `"${download.version}"`
  const headers = headersOf(download, etag)
  if (known !== undefined && isNamed(known, etag)) return reply.code(304).headers(headers).send()
  const applies = request.method === 'GET' && (condition === undefined || condition === etag)
  const range = applies ? parseByteRange(wanted, bytes) : null
  if (range === 'unsatisfiable') {
    throw new ServiceError('range_not_satisfiable', `The file has ${bytes} bytes.`, {
      headers: { 'content-range': `bytes */${bytes}` },
    })
  }
  const length = range === null ? bytes : range.end - range.start + 1
  const stream = request.method === 'HEAD' ? undefined : await open(range)
  if (stream === null) throw new ServiceError('file_not_found', 'This file has gone.')
  reply.headers(headers).header('content-length', length)
  if (stream === undefined) return reply.send()
  if (range !== null) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${bytes}`)
  // A reader that takes nothing holds a file open; the time begins anew whenever it takes some.
  reply.raw.setTimeout(READER_STALL_MS, () => reply.raw.destroy())
  return reply.send(exactLength(stream, length))
}

function headersOf({ contentType, fileName, maxAgeSeconds }: MediaDownload, etag: string): Record<string, string> {
  return {
    'content-type': contentType,
    'content-disposition': `${SHOWN.test(contentType) ? 'inline' : 'attachment'}; filename="${fileName}"`,
    'cache-control': `private, max-age=${Math.max(0, Math.floor(maxAgeSeconds))}, immutable`,
    'accept-ranges': 'bytes',
    etag,
    'content-security-policy': SHUT_IN,
    // Pages of other origins may show it: the holder of the address has the file.
    'cross-origin-resource-policy': 'cross-origin',
  }
}

function isNamed(header: string, etag: string): boolean {
  return header.split(',').some((part) => ['*', etag].includes(part.trim().replace(/^W\//, '')))
}
