import { BlockList, isIP } from 'node:net'
import type { ProxyConfig } from './config.ts'
import { isLoopback } from './reach.ts'

/**
 * Names the proxy of an address; null where it is reached directly. This machine is never reached through one.
 *
 * @param target of any scheme; those of mail (`smtp:`, `smtps:`) are tunnelled as `https:` is.
 */
export function findProxy({ http, https, exceptions }: ProxyConfig, target: URL): URL | null {
  const proxy = target.protocol === 'http:' ? http : https
  if (proxy === null || isLoopback(target.hostname) || exceptions.some((entry) => names(entry, target))) return null
  return new URL(proxy)
}

/** The same as a function of the address alone, for who opens connections. */
export function proxiesOf({ proxy }: { readonly proxy: ProxyConfig }): (target: URL) => URL | null {
  return (target) => findProxy(proxy, target)
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = {
  'http:': '80',
  'https:': '443',
  'smtp:': '587',
  'smtps:': '465',
}

/**
 * Whether an entry of `NO_PROXY` names an address: `*`, a host with its subdomains, `*.` and a host for the subdomains
 * alone, an address, or a range such as `10.0.0.0/8`; each but a range also with a port. Source: what curl and Go have
 * in common; there is no standard.
 */
function names(entry: string, target: URL): boolean {
  const { name, port } = partsOf(entry.toLowerCase())
  if (port !== null && port !== (target.port || DEFAULT_PORTS[target.protocol])) return false
  const host = target.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
  if (name === '*') return true
  if (name.includes('/')) return isInRange(host, name)
  if (isIP(name) !== 0) return isIP(host) !== 0 && isInRange(host, `${name}/${isIP(name) === 4 ? 32 : 128}`)
  const suffix = name.replace(/^\*?\.?/, '.').replace(/\.$/, '')
  return suffix.length > 1 && (host.endsWith(suffix) || (!name.startsWith('*.') && `.${host}` === suffix))
}

/** An address of IPv6 has colons of its own: a port follows it only behind brackets. */
function partsOf(entry: string): { readonly name: string; readonly port: string | null } {
  const at = entry.lastIndexOf(':')
  const name = at === -1 ? entry : entry.slice(0, at)
  const port = at === -1 ? '' : entry.slice(at + 1)
  const isPort = /^\d{1,5}$/.test(port) && (!name.includes(':') || name.endsWith(']'))
  const host = isPort ? name : entry
  return { name: host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host, port: isPort ? port : null }
}

function isInRange(host: string, range: string): boolean {
  const [network = '', bits = ''] = range.split('/')
  const version = isIP(host)
  if (version === 0 || version !== isIP(network) || !/^\d{1,3}$/.test(bits)) return false
  if (Number(bits) > (version === 4 ? 32 : 128)) return false
  const family = version === 4 ? 'ipv4' : 'ipv6'
  const list = new BlockList()
  list.addSubnet(network, Number(bits), family)
  return list.check(host, family)
}
