/**
 * Reading from addresses that an upstream names, which are not its own. They may lead anywhere, so: `https:` alone, no
 * key and no cookie, every name resolved once and refused where any of its addresses is not public, the connection made
 * to just these addresses, through the operator's proxy too, and every redirect looked at anew.
 */
import type { LookupAddress } from 'node:dns'
import { lookup as resolveName } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import type { FindProxy } from '../platform/outbound/open-dispatcher.ts'
import { openTunnel } from '../platform/outbound/open-tunnel.ts'
import { isPublicAddress } from './public-address.ts'
import type { UpstreamTimeouts } from './upstream-client.ts'

/** The address leads where no request is sent. */
export class ForbiddenAddressError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ForbiddenAddressError'
  }
}

export interface EgressOptions {
  readonly timeouts: UpstreamTimeouts
  readonly findProxy: FindProxy
  /** Which schemes and addresses may be used; the public internet over TLS by default. */
  readonly protocols?: readonly string[]
  readonly isAllowed?: (address: string) => boolean
}

/** A way out for addresses that others have named. */
export interface Egress {
  /** The dispatcher that connects to allowed addresses alone. */
  readonly dispatcher: Dispatcher
  /** @throws {ForbiddenAddressError} when the address itself is not allowed, whatever its name resolves to. */
  check(url: URL): void
  close(): Promise<void>
}

/** Opens one. Nothing is connected yet. */
export function createEgress(options: EgressOptions): Egress {
  const { timeouts, protocols = ['https:'], isAllowed = isPublicAddress } = options
  const dispatcher = new Agent({
    connect: guardedConnector(timeouts.connectMs, options.findProxy, isAllowed),
    headersTimeout: timeouts.firstByteMs,
    bodyTimeout: timeouts.idleMs,
    pipelining: 1,
  })
  return {
    dispatcher,
    check: (url) => {
      if (!protocols.includes(url.protocol)) throw new ForbiddenAddressError('The address has another scheme')
      if (url.username !== '' || url.password !== '') throw new ForbiddenAddressError('The address names a user')
      // An address that is no name is never looked up, so it is judged here.
      const host = url.hostname.replace(/^\[|\]$/g, '')
      if (isIP(host) !== 0 && !isAllowed(host)) throw new ForbiddenAddressError('The address is not public')
    },
    close: () => dispatcher.destroy(),
  }
}

/** Connects to addresses that were looked at, never to a name that another lookup may lead elsewhere. */
function guardedConnector(
  connectMs: number,
  findProxy: FindProxy,
  isAllowed: (address: string) => boolean,
): buildConnector.connector {
  const lookup: LookupFunction = (hostname, { all }, found) => {
    resolveAllowed(hostname, isAllowed).then(
      (addresses) => {
        if (all === true) found(null, [...addresses])
        else found(null, addresses[0].address, addresses[0].family)
      },
      (error: Error) => found(error, ''),
    )
  }
  const connect = buildConnector({ timeout: connectMs, lookup, allowH2: false })
  return (options, callback) => {
    const { protocol, hostname, host = hostname, port } = options
    const proxy = findProxy(new URL(`${protocol}//${host}`))
    if (proxy === null) return connect(options, callback)
    const numbered = Number(port || (protocol === 'https:' ? 443 : 80))
    tunnelTo(proxy, { hostname, port: numbered }, { connectMs, isAllowed }, (error, httpSocket) => {
      if (error !== null) callback(error, null)
      else if (protocol === 'https:') connect({ ...options, httpSocket }, callback)
      else callback(null, httpSocket)
    })
  }
}

/** A tunnel to an address of a name, which was looked at. */
const tunnelTo = callbackify(
  async (
    proxy: URL,
    { hostname, port }: { readonly hostname: string; readonly port: number },
    { connectMs, isAllowed }: { readonly connectMs: number; readonly isAllowed: (address: string) => boolean },
  ) => {
    const [{ address }] = await resolveAllowed(hostname, isAllowed)
    return openTunnel(proxy, { host: address, port }, connectMs)
  },
)

/**
 * The addresses of a name, those of IPv4 first: proxies without IPv6 are common.
 *
 * @throws {ForbiddenAddressError} where there is none, or any of them is not allowed.
 * @throws Node's errors of a lookup that failed.
 */
async function resolveAllowed(
  hostname: string,
  isAllowed: (address: string) => boolean,
): Promise<readonly [LookupAddress, ...LookupAddress[]]> {
  const [first, ...others] = await resolveName(hostname.replace(/^\[|\]$/g, ''), { all: true, order: 'ipv4first' })
  if (first === undefined || ![first, ...others].every(({ address }) => isAllowed(address))) {
    throw new ForbiddenAddressError('The name leads to an address that is not public')
  }
  return [first, ...others]
}
