/** How a video is read from an upstream: as a stream that waits for its reader, never whole. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import type { OpenedContent, VideoContent, WantedOutput } from './video-upstream.ts'
import { transportFailure, upstreamFailure } from './upstream-failure.ts'

/** An address below the upstream's own origin. */
export interface ContentAddress {
  readonly upstream: string
  readonly dispatcher: Dispatcher
  readonly origin: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

const GONE: ReadonlySet<number> = new Set([404, 410])
const UNSATISFIABLE = 416

/**
 * Asks for a file.
 *
 * @returns what came, or where the upstream sends its callers instead.
 * @throws {ServiceError} when it fails, or answers with something that is no video.
 */
export async function requestContent(
  address: ContentAddress,
  { range, signal }: Pick<WantedOutput, 'range' | 'signal'>,
): Promise<OpenedContent | { readonly kind: 'elsewhere'; readonly location: string }> {
  const { upstream, dispatcher, origin, path } = address
  const headers = {
    ...address.headers,
    accept: 'video/*',
    ...(range === null ? {} : { range: `bytes=${range.start}-${range.end}` }),
  }
  let response: Dispatcher.ResponseData
  try {
    response = await dispatcher.request({ origin, path, method: 'GET', headers, signal: signal ?? null })
  } catch (error) {
    throw transportFailure(upstream, error)
  }
  const { statusCode: status, body } = response
  const { location } = response.headers
  if (status === 200 || status === 206) {
    const content = contentOf(response.headers as IncomingHttpHeaders, status, body)
    if (content !== null) return { kind: 'open', content }
  }
  // What is no video is not read: the connection is closed rather than waited for.
  body.on('error', () => undefined).destroy()
  if (status >= 300 && status < 400 && typeof location === 'string') return { kind: 'elsewhere', location }
  if (GONE.has(status)) return { kind: 'gone' }
  if (status === UNSATISFIABLE) return { kind: 'unsatisfiable', total: totalOf(response.headers['content-range']) }
  throw upstreamFailure(status === 429 || status === 503 ? 'overloaded' : 'broken', { upstream, status })
}

function contentOf(headers: IncomingHttpHeaders, status: number, body: VideoContent['body']): VideoContent | null {
  const contentType = videoType(headers['content-type'])
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity'
  const length = lengthOf(headers['content-length'])
  if (contentType === null || encoding !== 'identity') return null
  if (status === 200) return length === 0 ? null : { contentType, length, part: null, body }
  const part = partOf(headers['content-range'])
  return part === null ? null : { contentType, length, part, body }
}

/** The types that players know. Anything that names no type is taken for what was asked for. */
function videoType(header: string | undefined): string | null {
  const type = header?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (/^video\/[a-z0-9.+-]{1,40}$/.test(type)) return type
  return type === '' || type === 'application/octet-stream' || type === 'binary/octet-stream' ? 'video/mp4' : null
}

function lengthOf(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : null
}

const PART = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/

function partOf(header: string | undefined): VideoContent['part'] {
  const [, start, end, total] = PART.exec(header ?? '') ?? []
  if (start === undefined || end === undefined || Number(end) < Number(start)) return null
  return { start: Number(start), end: Number(end), total: total === '*' ? null : Number(total) }
}

function totalOf(header: string | string[] | undefined): number | null {
  const [, total] = /^bytes \*\/(\d{1,15})$/.exec(typeof header === 'string' ? header : '') ?? []
  return total === undefined ? null : Number(total)
}
