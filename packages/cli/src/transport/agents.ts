/** Connections that are kept for the next request of the same command, directly or through a proxy. */
import type { Agent, AgentOptions, request } from 'node:http'
import { ConnectionError } from '@svc/contract'

const PROXY_VARIABLES = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy'] as const
const NO_PROXY_VARIABLES = ['NO_PROXY', 'no_proxy'] as const

export interface Agents {
  agentFor(target: URL): Agent
  senderFor(target: URL): typeof request
}

type Environment = Readonly<Record<string, string | undefined>>

export function agentsFor(environment: Environment): Agents {
  const kept = new Map<string, Agent>()
  return {
    senderFor: ({ protocol }) => moduleFor(protocol).request,
    agentFor: ({ protocol }) => {
      const agent = kept.get(protocol) ?? makeAgent(protocol, environment)
      kept.set(protocol, agent)
      return agent
    },
  }
}

/** Not imported: an import of `node:http` reads all its names, and one of them loads the whole of `fetch`. */
function moduleFor(protocol: string) {
  return protocol === 'https:' ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http')
}

function makeAgent(protocol: string, environment: Environment): Agent {
  const options: AgentOptions = { keepAlive: true, ...proxyOptions(environment) }
  return new (moduleFor(protocol).Agent)(options)
}

function proxyOptions(environment: Environment): AgentOptions {
  const isProxied = PROXY_VARIABLES.some((name) => (environment[name] ?? '') !== '')
  if (!isProxied) return {}
  if (!knowsProxies(process.versions.node)) {
    throw new ConnectionError(
      `Node ${process.versions.node} cannot go through a proxy: use Node 24.5 or newer, or 22.21.`,
      null,
      { isPermanent: true },
    )
  }
  const names = [...PROXY_VARIABLES, ...NO_PROXY_VARIABLES].filter((name) => (environment[name] ?? '') !== '')
  return { proxyEnv: Object.fromEntries(names.map((name) => [name, environment[name]])) }
}

/** Older ones would go past the proxy without a word. Source: Node's documentation of `http.Agent`. */
export function knowsProxies(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21)
}
