import type { FastifyRequest } from 'fastify'
import { isLoopback } from '../config/reach.ts'

/** What proxies and tunnels add to a request that they pass on. Source: RFC 7239, RFC 9110 section 7.6.3, common use. */
const PASSED_ON = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'cf-connecting-ip'] as const

/**
 * Tells whether a person on the gateway's own machine sends this: the connection is from there, nothing says that it
 * was passed on, and the browser was sent to this machine by name. A tunnel, a proxy and a page that points a host name
 * of its own at this machine fail one of the three.
 */
export function isLocalCaller({ headers, socket }: Pick<FastifyRequest, 'headers' | 'socket'>): boolean {
  if (!isLoopback(socket.remoteAddress ?? '')) return false
  if (PASSED_ON.some((name) => headers[name] !== undefined)) return false
  const host = URL.parse(`http://${headers.host ?? ''}`)?.hostname
  return host !== undefined && isLoopback(host)
}
