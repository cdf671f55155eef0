/**
 * Room `platform/outbound`: connections to other servers, directly or through the operator's proxy. It knows no
 * configuration: who opens a connection brings the rule that names the proxy of an address.
 */
import { Agent, type Dispatcher, ProxyAgent } from 'undici'

/**
 * Names the proxy through which an address is reached, with its user and password where it wants them; null where the
 * connection is made directly. Each address has one answer for as long as the process lives.
 */
export type FindProxy = (target: URL) => URL | null

/** Every connection is direct. */
export const DIRECT: FindProxy = () => null

export interface DispatcherOptions {
  /** Longest time until a connection is made, in milliseconds; through a proxy for each of its two steps. */
  readonly connectMs: number
  /** Longest wait for an answer's headers, in milliseconds. */
  readonly headersMs: number
  /** Longest silence within an answer, in milliseconds. */
  readonly bodyMs: number
  /** Absent: 4 s, undici's own. An idle connection is closed after so long, in milliseconds. */
  readonly keepAliveMs?: number
  /** Whether HTTP/2 is spoken where the server offers it. Absent: no. */
  readonly allowH2?: boolean
}

/**
 * Opens the connections to one server: its origin decides whether they go through a proxy. To a server with TLS they
 * are tunnels (`CONNECT`), so that the proxy sees neither requests nor keys.
 */
export function openDispatcher(origin: URL, findProxy: FindProxy, options: DispatcherOptions): Dispatcher {
  const { connectMs, headersMs, bodyMs, keepAliveMs, allowH2 = false } = options
  const common = {
    allowH2,
    headersTimeout: headersMs,
    bodyTimeout: bodyMs,
    ...(keepAliveMs === undefined ? {} : { keepAliveTimeout: keepAliveMs }),
    pipelining: 1,
  }
  const proxy = findProxy(origin)
  if (proxy === null) return new Agent({ ...common, connect: { timeout: connectMs } })
  return new ProxyAgent({ ...common, uri: proxy.href, connectTimeout: connectMs })
}
