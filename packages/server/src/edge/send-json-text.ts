import type { OutgoingHttpHeaders } from 'node:http'
import { READER_STALL_MS } from './sse-writer.ts'
import type { RouteCall } from './route.ts'

/** The type of answers that are written as text before they are sent. */
export const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * Sends an answer that is text already, past everything that the framework does for answers that are not. It is kept
 * until it is taken: the time begins anew whenever the reader takes some of it.
 */
export function sendJsonText({ reply }: RouteCall, json: string): void {
  reply.raw.setTimeout(READER_STALL_MS, () => reply.raw.destroy())
  reply.hijack()
  // A copy of the framework's own.
  const headers = reply.getHeaders()
  headers['content-type'] = JSON_TYPE
  headers['content-length'] = Buffer.byteLength(json)
  reply.raw.writeHead(200, headers as OutgoingHttpHeaders)
  reply.raw.end(json)
}
