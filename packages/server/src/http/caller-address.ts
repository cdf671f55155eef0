import { isIPv6 } from 'node:net'

/** Groups of an IPv6 address that its network gives; whoever has one of these has all of the rest. Source: RFC 6177. */
const NETWORK_GROUPS = 4

/** All who have gone before their address was asked for count together. */
const UNKNOWN = 'unknown'

const IPV4_IN_IPV6 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/**
 * Says whose address this is, for limits: an IPv4 address is its own, an IPv6 address counts as its network of 64 bits,
 * since one subscriber has all addresses of at least one.
 *
 * @param ip undefined, whatever the framework's types say, once the client has gone: a closed socket has no address.
 */
export function callerAddress(ip: string | undefined): string {
  if (ip === undefined) return UNKNOWN
  if (!ip.includes(':') || !isIPv6(ip)) return ip
  const [address = ''] = ip.split('%')
  const plain = IPV4_IN_IPV6.exec(address)?.[1]
  if (plain !== undefined) return plain
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  // What `::` stands for. An IPv4 address at the end takes the place of two groups.
  const missing = 8 - groups.length - after.length - (address.includes('.') ? 1 : 0)
  const whole = tail === undefined ? groups : [...groups, ...Array.from({ length: missing }, () => '0'), ...after]
  const network = whole.slice(0, NETWORK_GROUPS).map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
  return `${network.join(':')}::/64`
}
