import { isIPv6, type Socket } from 'node:net'

/** The proxy makes no tunnel to the address. The message names no proxy: its address may hold a password. */
export class TunnelRefusedError extends Error {
  constructor(status: number) {
    super(`The proxy answered with status ${status} instead of making a tunnel`)
    this.name = 'TunnelRefusedError'
  }
}

/**
 * Opens a tunnel through a proxy to exactly one address. Source: RFC 9110 section 9.3.6.
 *
 * @param target an IP address or a name, and a port.
 * @throws {TunnelRefusedError} when the proxy refuses it.
 * @throws Node's errors when the proxy cannot be reached within `timeoutMs`.
 */
export function openTunnel(
  proxy: URL,
  target: { readonly host: string; readonly port: number },
  timeoutMs: number,
): Promise<Socket> {
  const authority = `${isIPv6(target.host) ? `[${target.host}]` : target.host}:${target.port}`
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  // Not imported, which would load all of Node's `fetch`. Source: decision 0147.
  const { request: ask } = process.getBuiltinModule(proxy.protocol === 'https:' ? 'node:https' : 'node:http')
  const request = ask({
    method: 'CONNECT',
    hostname: proxy.hostname.replace(/^\[|\]$/g, ''),
    ...(proxy.port === '' ? {} : { port: proxy.port }),
    path: authority,
    headers: { host: authority, ...authorizationOf(proxy) },
    agent: false,
    signal: AbortSignal.timeout(timeoutMs),
  })
  request.once('connect', ({ statusCode = 0 }, socket: Socket) => {
    if (statusCode >= 200 && statusCode <= 299) return resolve(socket)
    socket.on('error', () => undefined).destroy()
    reject(new TunnelRefusedError(statusCode))
  })
  request.once('response', (response) => {
    response.destroy()
    reject(new TunnelRefusedError(response.statusCode ?? 0))
  })
  request.on('error', reject)
  request.end()
  return promise
}

function authorizationOf({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '' && password === '') return {}
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` }
}
