import type { ProxyConfig } from './config.ts'
import type { Environment } from './environment.ts'
import { parseProxy } from './parse-proxy.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** Entries of `NO_PROXY` that are looked at: each connection compares with all of them. Source: own choice. */
const EXCEPTIONS_MAX = 1_000

/** A connection is made without any proxy. */
export const NO_PROXY: ProxyConfig = { http: null, https: null, exceptions: [] }

/**
 * Reads the proxy through which other servers are reached: the gateway's own variables, or those that all programs of a
 * machine read (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`, in small letters too, which go before).
 *
 * @returns problems without the values, which may hold passwords.
 */
export function resolveProxy(
  { SVC_OUTBOUND_PROXY: own, SVC_NO_PROXY: ownExceptions }: Environment,
  env: Variables,
): { readonly proxy: ProxyConfig; readonly problems: readonly string[] } {
  const read = (name: string): string | null => env[name.toLowerCase()]?.trim() || env[name]?.trim() || null
  const exceptions = (ownExceptions ?? read('NO_PROXY') ?? '').split(/[\s,]+/).filter((entry) => entry !== '')
  if (own === 'off') return { proxy: NO_PROXY, problems: [] }
  if (own !== undefined) return { proxy: { http: own, https: own, exceptions }, problems: tooMany(exceptions) }
  const problems = tooMany(exceptions)
  const proxyIn = (name: string): string | null => {
    const named = [name, 'ALL_PROXY'].find((each) => read(each) !== null)
    if (named === undefined) return null
    const proxy = parseProxy(read(named) ?? '')
    if (proxy === null) problems.push(unusable(named))
    return proxy
  }
  const proxy = { https: proxyIn('HTTPS_PROXY'), http: proxyIn('HTTP_PROXY'), exceptions }
  return { proxy, problems: [...new Set(problems)] }
}

function tooMany(exceptions: readonly string[]): string[] {
  return exceptions.length > EXCEPTIONS_MAX ? [`NO_PROXY has more than ${EXCEPTIONS_MAX} entries. Give fewer.`] : []
}

function unusable(name: string): string {
  return (
    `${name} is not the address of an http or https proxy, such as http://proxy.example.com:3128. Correct it, set ` +
    'SVC_OUTBOUND_PROXY to another one, or to off to connect directly.'
  )
}
