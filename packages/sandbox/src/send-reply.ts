import type { ServerResponse } from 'node:http'
import { renderSandboxError, type SandboxError } from './sandbox-error.ts'

/** Sends JSON text as a whole reply; does nothing when the client has gone or an answer has begun. */
export function sendJson(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.destroyed || response.headersSent) return
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  })
  response.end(text)
}

/** Sends a failure. */
export function sendError(response: ServerResponse, error: SandboxError): void {
  sendJson(response, error.status, renderSandboxError(error), error.headers)
}

/** Sends a page for people, as the servers in front of an upstream do. */
export function sendPage(response: ServerResponse, status: number): void {
  const page = `<!doctype html><html><title>${status}</title><body>A page instead of an answer</body></html>`
  if (response.destroyed || response.headersSent) return
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'content-length': Buffer.byteLength(page) })
  response.end(page)
}
