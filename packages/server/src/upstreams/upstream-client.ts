import { trimEndOf } from '@svc/contract'
import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { type FindProxy, openDispatcher } from '../platform/outbound/open-dispatcher.ts'
import type { Patience } from './silence-watch.ts'

/** How long an upstream may be silent, each in milliseconds. */
export interface UpstreamTimeouts {
  readonly connectMs: number
  /** From the request to the answer's headers; for an answer that is not streamed, the whole time of its making. */
  readonly firstByteMs: number
  /**
   * Between two reads of an answer's body, once it has brought content; before that, `firstByteMs`. There is no limit
   * on the whole, so a stream that still produces is never cut.
   */
  readonly idleMs: number
  /** Without any new content, whatever else keeps the connection open. Absent: ten minutes. */
  readonly contentMs?: number
}

/** Models that think for long are given this long to say something, in milliseconds. Source: own choice. */
const CONTENT_MS = 600_000

/**
 * An idle connection is closed after so long, in milliseconds, where the upstream does not say how long it keeps it:
 * before the 4 or 5 seconds of common servers, since a request on a connection that closes at that moment fails and may
 * not be repeated.
 */
const IDLE_CONNECTION_MS = 3_000

/** Connections to one upstream. */
export interface UpstreamClient {
  readonly dispatcher: Dispatcher
  /** How long its answers may let us wait. */
  readonly patience: Patience
  readonly origin: string
  /** Path of the base URL, without a slash at its end. */
  readonly basePath: string
  readonly headers: Readonly<Record<string, string>>
  /** Null for a server that wants none. Known here so that it can be taken out of whatever the upstream says. */
  readonly apiKey: string | null
  close(): Promise<void>
}

/** Hears the headers of every answer, whatever its status. */
export type OnAnswer = (headers: IncomingHttpHeaders) => void

function tellAnswers(onAnswer: OnAnswer): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
      onRequestUpgrade: (...upgrade) => handler.onRequestUpgrade?.(...upgrade),
      onResponseStart: (controller, status, headers, message) => {
        if (status >= 200) onAnswer(headers)
        handler.onResponseStart?.(controller, status, headers, message)
      },
      onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
      onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
      onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
    })
}

function keyHeaders(options: {
  readonly apiKey: string | null
  readonly keyHeader?: string
}): Readonly<Record<string, string>> {
  const { apiKey, keyHeader } = options
  if (apiKey === null) return {}
  return keyHeader === undefined ? { authorization: `Bearer ${apiKey}` } : { [keyHeader]: apiKey }
}

/**
 * Opens the connection pool of one upstream. Request headers are built here from scratch: nothing of a client's own
 * headers is ever forwarded.
 *
 * @param options.apiKey null for servers that want none.
 * @param options.keyHeader the header that carries the key alone; absent: `authorization`, as a bearer's.
 * @param options.onAnswer receives the headers of every answer; it must not throw.
 */
export function createUpstreamClient(options: {
  readonly url: string
  readonly apiKey: string | null
  readonly timeouts: UpstreamTimeouts
  readonly allowH2: boolean
  readonly findProxy: FindProxy
  readonly extraHeaders: Readonly<Record<string, string>>
  readonly keyHeader?: string
  readonly onAnswer?: OnAnswer | undefined
}): UpstreamClient {
  const url = new URL(options.url)
  const { firstByteMs, idleMs, contentMs = CONTENT_MS } = options.timeouts
  const dispatcher = openDispatcher(url, options.findProxy, {
    allowH2: options.allowH2,
    connectMs: options.timeouts.connectMs,
    headersMs: firstByteMs,
    bodyMs: idleMs,
    keepAliveMs: IDLE_CONNECTION_MS,
  })
  const { onAnswer } = options
  return {
    dispatcher: onAnswer === undefined ? dispatcher : dispatcher.compose(tellAnswers(onAnswer)),
    patience: { firstMs: Math.max(firstByteMs, idleMs), idleMs, contentMs },
    origin: url.origin,
    basePath: trimEndOf(url.pathname, '/'),
    headers: {
      'user-agent': 'svc-gateway',
      'accept-encoding': 'identity',
      ...keyHeaders(options),
      ...options.extraHeaders,
    },
    apiKey: options.apiKey,
    close: () => dispatcher.destroy(),
  }
}
