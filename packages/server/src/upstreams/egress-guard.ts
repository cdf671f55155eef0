/**
 * Reading from addresses that an upstream names, which are not its own. They may lead anywhere, so: `https:` alone, no
 * key and no cookie, every name resolved once and refused where any of its addresses is not public, the connection made
 * to just these addresses, and every redirect looked at anew.
 */
import { lookup as resolveName, type LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { Agent, type Dispatcher } from 'undici'
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

type Found = (error: Error | null, address: string | LookupAddress[], family?: number) => void

/** Opens one. Nothing is connected yet. */
export function createEgress({ timeouts, protocols = ['https:'], isAllowed = isPublicAddress }: EgressOptions): Egress {
  const lookup = (hostname: string, options: { readonly all?: boolean | undefined }, found: Found): void => {
    resolveName(hostname, { all: true, verbatim: true }, (error, addresses) => {
      if (error !== null) return found(error, '')
      const [first] = addresses
      if (first === undefined || !addresses.every(({ address }) => isAllowed(address))) {
        return found(new ForbiddenAddressError('The name leads to an address that is not public'), '')
      }
      if (options.all === true) found(null, addresses)
      else found(null, first.address, first.family)
    })
  }
  const dispatcher = new Agent({
    connect: { timeout: timeouts.connectMs, lookup: lookup as never },
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
