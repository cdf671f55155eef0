import type { Config } from '../config/config.ts'

/** Hosts to listen on by which this machine reaches itself. */
const HERE: ReadonlySet<string> = new Set(['127.0.0.1', '0.0.0.0', '::1', '::'])

/** The address that a gateway on this machine is reached by. It has no port before the system has chosen one. */
export function localOrigin({ host, port }: Pick<Config, 'host' | 'port'>): string {
  const literal = host.includes(':') ? `[${host}]` : host
  return `http://${HERE.has(host) ? 'localhost' : literal}${port === 0 ? '' : `:${port}`}`
}

/** The port of an origin with the scheme `http:`. */
export function portOf(origin: string): number {
  const { port } = new URL(origin)
  return port === '' ? 80 : Number(port)
}
