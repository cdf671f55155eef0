/** Which addresses of the network belong to the public. Pure. */
import { BlockList, isIP } from 'node:net'

/** IPv4 that is private, shared, local, documentation, multicast or reserved. Source: IANA special-purpose registry. */
const NOT_PUBLIC_4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/**
 * Within global unicast: special use, documentation, and what carries an IPv4 address inside. Everything outside of
 * `2000::/3` (loopback, local, mapped and translated addresses, multicast) is not public either.
 */
const NOT_PUBLIC_6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

function listOf(networks: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, family)
  return list
}

const notPublic4 = listOf(NOT_PUBLIC_4, 'ipv4')
const notPublic6 = listOf(NOT_PUBLIC_6, 'ipv6')
const global6 = listOf([['2000::', 3]], 'ipv6')

/** Whether an address is one of the public internet. A text that is no address is not. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !notPublic4.check(address, 'ipv4')
    case 6:
      return !address.includes('%') && global6.check(address, 'ipv6') && !notPublic6.check(address, 'ipv6')
    default:
      return false
  }
}
