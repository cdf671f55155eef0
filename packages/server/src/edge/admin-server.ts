/**
 * Metrics and probes, on a listener of their own: they are for those who run the gateway, and they must answer when the
 * API does not. They know no key and no account.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** Whether the gateway can take requests, and what it lacks. */
export interface Readiness {
  readonly ready: boolean
  /** Null when it is ready. */
  readonly reason: string | null
}

export interface AdminPages {
  readonly metrics: { readonly contentType: string; text(): Promise<string> }
  readonly readiness: () => Promise<Readiness>
}

export interface AdminServer {
  readonly origin: string
  close(): Promise<void>
}

interface Page {
  readonly status: number
  readonly type: string
  readonly body: string
}

const REQUEST_TIMEOUT_MS = 10_000
const HEADER_BYTES = 8_192

function json(status: number, value: object): Page {
  return { status, type: 'application/json; charset=utf-8', body: `${JSON.stringify(value)}\n` }
}

async function readyPage({ readiness }: AdminPages): Promise<Page> {
  const { ready, reason } = await readiness()
  return ready ? json(200, { status: 'ready' }) : json(503, { status: 'not_ready', reason })
}

async function pageOf(pages: AdminPages, request: IncomingMessage): Promise<Page> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return json(405, { status: 'method_not_allowed' })
  switch (request.url?.split('?')[0]) {
    case '/live':
      return json(200, { status: 'live' })
    case '/ready':
      return readyPage(pages)
    case '/metrics':
      return { status: 200, type: pages.metrics.contentType, body: await pages.metrics.text() }
    default:
      return json(404, { status: 'not_found' })
  }
}

/** Whether a body follows the headers: it is not waited for, so whatever it holds must not count as a request. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

function send(response: ServerResponse, request: IncomingMessage, { status, type, body }: Page): void {
  response.writeHead(status, {
    ...(hasBody(request) ? { connection: 'close' } : {}),
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}

const refusals: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** Answers what Node's parser refuses, and closes. Its own answer has no length. */
function refuse(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const status = refusals[error.code ?? ''] ?? '400 Bad Request'
  socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
}

/**
 * Serves `/metrics`, `/live` and `/ready`.
 *
 * @param deps.onError called with the reason why a page could not be made; the answer is then 500 without a word.
 * @throws Node's error when the address cannot be listened on.
 */
export async function startAdminServer(
  deps: { readonly pages: AdminPages; readonly onError: (error: unknown) => void },
  address: { readonly host: string; readonly port: number },
): Promise<AdminServer> {
  // Not imported, which would load all of Node's `fetch`. Source: decision 0147.
  const { createServer } = process.getBuiltinModule('node:http')
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, maxHeaderSize: HEADER_BYTES },
    (request, response) => {
      request.resume()
      pageOf(deps.pages, request).then(
        (page) => send(response, request, page),
        (error: unknown) => {
          deps.onError(error)
          send(response, request, json(500, { status: 'failed' }))
        },
      )
    },
  )
  server.on('clientError', refuse)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(address.port, address.host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const bound = server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : address.port
  const host = address.host.includes(':') ? `[${address.host}]` : address.host
  return {
    origin: `http://${host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
