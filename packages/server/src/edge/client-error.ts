import type { Socket } from 'node:net'
import { renderError } from './render-error.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import type { AccessLogDeps } from './access-log.ts'

function errorOf(code: string | undefined): ServiceError {
  if (code === 'HPE_HEADER_OVERFLOW') return new ServiceError('request_too_large', 'The request headers are too large.')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ServiceError('request_timeout', 'The request took too long to arrive.')
  return new ServiceError('invalid_value', 'The request is not well-formed HTTP.')
}

const reasons: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  413: 'Payload Too Large',
}

/**
 * Answers what Node's parser refuses, in the shape of every other error, and closes. Nothing of the request is echoed.
 *
 * @param deps.createRequestId names the answer, so that its line in the log can be found.
 */
export function writeClientError(
  deps: AccessLogDeps & { readonly createRequestId: () => string },
  error: Error & { readonly code?: string },
  socket: Socket,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const { status, body } = renderError(errorOf(error.code))
  const requestId = deps.createRequestId()
  deps.metrics?.ended({ route: null, method: 'none', status, seconds: 0, errorCode: body.error.code })
  deps.log.info({ request_id: requestId, status, code: body.error.code }, 'request refused')
  const json = JSON.stringify(body)
  socket.end(
    `HTTP/1.1 ${status} ${reasons[status] ?? 'Error'}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `x-request-id: ${requestId}\r\ncontent-length: ${Buffer.byteLength(json)}\r\nconnection: close\r\n\r\n${json}`,
  )
}
