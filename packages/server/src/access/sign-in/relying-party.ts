/** Whom passkeys belong to: the name by which browsers know this gateway. Source: W3C Web Authentication, section 5.1.2. */
import { isIP } from 'node:net'

/** Why browsers give a gateway at such an address no passkeys. */
export type AddressObstacle =
  /** They tie a passkey to a name, and the gateway has none. */
  | 'bare_address'
  /** They trust a name over TLS alone, but for that of their own machine. */
  | 'plain_http'

export interface RelyingParty {
  /** The name, without a port. A passkey works at this one alone. */
  readonly id: string
  /** From which pages a passkey may be used. */
  readonly origins: readonly [string, ...string[]]
}

/** @param origins by which browsers may reach the console; the first with a name counts. */
export function relyingPartyOf(origins: readonly string[]): RelyingParty | AddressObstacle {
  const [named] = origins.filter((origin) => isIP(hostOf(origin).replaceAll(/[[\]]/g, '')) === 0)
  if (named === undefined) return 'bare_address'
  const id = hostOf(named)
  if (!named.startsWith('https:') && id !== 'localhost' && !id.endsWith('.localhost')) return 'plain_http'
  return { id, origins: [named, ...origins.filter((origin) => origin !== named && hostOf(origin) === id)] }
}

const hostOf = (origin: string): string => new URL(origin).hostname
