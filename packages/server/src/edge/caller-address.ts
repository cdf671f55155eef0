/** Whose address a request comes from: for limits, for the list of sessions, and for whom the gateway trusts. */
import { BlockList, isIP, isIPv4 } from 'node:net'

/** All clients whose address is not known, because they have gone or a proxy wrote none, count together. */
const UNKNOWN = 'unknown'

/** Longest text that can hold an address: 45 characters with a zone, brackets and a port. */
const TEXT_LENGTH_MAX = 128

const BRACKETED = /^\[([^\]]*)\](?::\d{1,5})?$/
const WITH_PORT = /^([^:]*):\d{1,5}$/
const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/

/** Groups of an IPv6 address that its network gives; one subscriber has all addresses of at least one. Source: RFC 6177. */
const NETWORK_GROUPS = 4
const GROUPS = 8

/** Ranges that a name in `SVC_TRUSTED_PROXIES` means. Source: RFC 1122, 1918, 3927, 4193, 4291. */
const PROXY_GROUPS: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/**
 * Reads one address as sockets and proxies write it: with brackets, a port, a zone, or as IPv4 inside IPv6.
 *
 * @returns the address alone, IPv6 in the form of RFC 5952; null where the text is no address.
 */
export function plainAddress(text: string | undefined): string | null {
  if (text === undefined || text.length > TEXT_LENGTH_MAX) return null
  // As sockets write most of them.
  if (isIPv4(text)) return text
  const bare = text.trim()
  const inner = BRACKETED.exec(bare)?.[1] ?? WITH_PORT.exec(bare)?.[1] ?? bare
  const [address = ''] = inner.split('%')
  const version = isIP(address)
  if (version !== 6) return version === 4 ? address : null
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [, high, low] = MAPPED.exec(canonical) ?? []
  if (high === undefined || low === undefined) return canonical
  const [first, second] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return [first >> 8, first & 255, second >> 8, second & 255].join('.')
}

/**
 * Names the client for limits. An IPv4 address is its own; an IPv6 address counts as its network of 64 bits.
 *
 * @param ip undefined, whatever the framework's types say, once the client has gone: a closed socket has no address.
 */
export function callerAddress(ip: string | undefined): string {
  const address = plainAddress(ip)
  if (address === null) return UNKNOWN
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: GROUPS - groups.length - after.length }, () => '0')
  const whole = tail === undefined ? groups : [...groups, ...zeros, ...after]
  return `${whole.slice(0, NETWORK_GROUPS).join(':')}::/64`
}

/**
 * Says which hops of `X-Forwarded-For` are proxies of the operator. A hop counts however it is written: a proxy that
 * names another one with its port is trusted all the same.
 *
 * @param proxies addresses, ranges and names of ranges, as the configuration has checked them.
 */
export function trustProxies(proxies: readonly string[]): (hop: string) => boolean {
  const trusted = new BlockList()
  for (const range of proxies.flatMap((proxy) => PROXY_GROUPS[proxy] ?? [proxy])) {
    const [network = '', bits] = range.split('/')
    const address = plainAddress(network)
    if (address === null) continue
    const wasMapped = isIP(network) === 6 && familyOf(address) === 'ipv4'
    const width = familyOf(address) === 'ipv4' ? 32 : 128
    const prefix = bits === undefined ? width : Number(bits) - (wasMapped ? 96 : 0)
    trusted.addSubnet(address, Math.max(0, prefix), familyOf(address))
  }
  return (hop) => {
    const address = plainAddress(hop)
    return address !== null && trusted.check(address, familyOf(address))
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4'
}
