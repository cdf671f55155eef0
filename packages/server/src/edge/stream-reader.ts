import { formatCredits } from '@svc/contract'
import type { FastifyReply } from 'fastify'
import type { StreamReader } from '../pipeline/frame-writer.ts'
import { noteCharge } from './access-log.ts'
import type { RouteKit } from './route-kit.ts'
import type { RouteCall } from './route.ts'
import { openSseWriter } from './sse-writer.ts'

/**
 * Fires when the caller has gone, also where they had gone before this was asked. It is seen on the response: the
 * request's own `close` comes with its body.
 */
export function callerGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  const onClose = (): void => {
    if (!raw.writableFinished) gone.abort(new Error('The caller has gone'))
  }
  // What has closed says so once: work that came before may have taken longer than the caller waited.
  if (raw.closed) onClose()
  else raw.once('close', onClose)
  return gone.signal
}

/** The caller's side of a stream. */
export function streamReader({ limits }: RouteKit, { request, reply }: RouteCall): StreamReader {
  return {
    gone: callerGone(reply),
    charged: (charge) => noteCharge(request, formatCredits(charge)),
    open: () => {
      reply.hijack()
      const headers = { ...(reply.getHeaders() as Record<string, string>), 'x-request-id': request.id }
      return openSseWriter(reply.raw, { headers, keepAliveMs: limits.configured.keepAliveMs })
    },
  }
}
