import { formatCredits } from '@svc/contract'
import type { StreamReader } from '../pipeline/frame-writer.ts'
import { noteCharge } from './access-log.ts'
import type { RouteKit } from './route-kit.ts'
import type { RouteCall } from './route.ts'
import { openSseWriter } from './sse-writer.ts'

/**
 * The caller's side of a stream. Their going away is seen on the response: the request's own `close` comes with its
 * body.
 */
export function streamReader({ limits }: RouteKit, { request, reply }: RouteCall): StreamReader {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort(new Error('The caller has gone'))
  })
  return {
    gone: gone.signal,
    charged: (charge) => noteCharge(request, formatCredits(charge)),
    open: () => {
      reply.hijack()
      const headers = { ...(reply.getHeaders() as Record<string, string>), 'x-request-id': request.id }
      return openSseWriter(reply.raw, { headers, keepAliveMs: limits.keepAliveMs })
    },
  }
}
