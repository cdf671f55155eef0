/** The typed client of the contract, with what a terminal adds: proxies, and an interrupt that ends requests. */
import { type Client, createClient, endpoints } from '@svc/contract'
import type { Settings } from './settings/settings.ts'
import type { Terminal } from './terminal/terminal.ts'

export interface ApiConnection {
  readonly client: Client
  readonly endpoints: typeof endpoints
  readonly settings: Settings
}

const PROXY_VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy']

export async function connectApi(settings: Settings, terminal: Pick<Terminal, 'environment'>): Promise<ApiConnection> {
  const proxied = PROXY_VARIABLES.some((name) => (terminal.environment[name] ?? '') !== '')
  const fetchByProxy = proxied ? await proxyFetch() : undefined
  const client = createClient({
    baseUrl: settings.baseUrl,
    ...(settings.key === null ? {} : { key: settings.key }),
    ...(fetchByProxy === undefined ? {} : { fetch: fetchByProxy }),
  })
  return { client, endpoints, settings }
}

/** Loaded only where a proxy is set: it takes as long to load as everything else together. */
async function proxyFetch(): Promise<typeof globalThis.fetch> {
  const { EnvHttpProxyAgent, fetch } = await import('undici')
  const dispatcher = new EnvHttpProxyAgent()
  // The library's own fetch and the platform's differ only in names of types.
  return ((input: string, init?: object) => fetch(input, { ...init, dispatcher })) as unknown as typeof globalThis.fetch
}
