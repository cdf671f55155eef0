import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Tracing } from '../telemetry/tracing/tracing.ts'

/**
 * Traces a request from here to the end of its answer, whichever side ends it. The address itself is not recorded, as
 * it may hold anything; the request id leads from the span to the log and to the usage record.
 */
export function traceRequest(
  tracing: Tracing,
  request: FastifyRequest,
  reply: FastifyReply,
  proceed: () => void,
): void {
  const route = request.routeOptions.url
  const incoming = {
    headers: request.headers,
    facts: {
      'http.request.method': request.method,
      'http.route': route,
      'url.scheme': request.protocol,
      'svc.request_id': request.id,
    },
  }
  const span = tracing.serve(route === undefined ? request.method : `${request.method} ${route}`, incoming, proceed)
  reply.raw.once('close', () => {
    const isWhole = reply.raw.writableFinished
    const { error } = request.facts
    if (isWhole) span.tell({ 'http.response.status_code': reply.raw.statusCode })
    // What a client did wrong is no failure of the server. Source: OpenTelemetry, HTTP spans.
    const isOurs = error !== null && error.status >= 500
    span.end(isOurs ? error.code : isWhole ? null : 'client_closed')
  })
}
