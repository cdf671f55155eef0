/**
 * Who can reach the gateway: its own machine alone, or strangers. The strict rules of production follow from it, and
 * nothing else decides them.
 */
import { isIP } from 'node:net'
import type { Environment } from './environment.ts'

type Reach = Pick<Environment, 'SVC_HOST' | 'SVC_PUBLIC_URL' | 'SVC_TRUSTED_PROXIES'>

/**
 * Says why other machines can reach a gateway with these settings.
 *
 * A public URL that names another host, a bind that is not loopback, and a proxy in front are each enough. A public URL
 * of this machine says that a proxy in front is a local one.
 *
 * @returns a clause such as "clients reach it at https://ai.example.com"; null where only this machine can reach it.
 */
export function whyReachable({ SVC_HOST: host, SVC_PUBLIC_URL: url, SVC_TRUSTED_PROXIES: proxies }: Reach) {
  if (!isLoopback(host)) return `a server on ${host} can be reached from other machines`
  const publicHost = url === undefined ? null : new URL(url).hostname
  if (publicHost !== null && !isLoopback(publicHost)) return `clients reach this server at ${url}`
  if (publicHost === null && proxies !== undefined) return 'SVC_TRUSTED_PROXIES says that a proxy is in front of it'
  return null
}

/** Tells whether a host name or an address names this machine alone. Source: RFC 6761 section 6.3, RFC 5735. */
export function isLoopback(host: string): boolean {
  const bare = host
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase()
  const address = bare.replace(/^::ffff:/, '')
  if (isIP(address) === 4) return address.startsWith('127.')
  return bare === '::1' || bare === 'localhost' || bare.endsWith('.localhost')
}
