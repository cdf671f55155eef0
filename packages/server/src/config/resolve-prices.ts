import type { Config, RouteConfig, UpstreamConfig } from './config.ts'
import { CONFIG_FILE, type FileSettings } from './config-file.ts'
import type { Environment } from './environment.ts'
import { resolveRoute } from './resolve-route.ts'

export interface ResolvedPrices extends Pick<
  Config,
  'routes' | 'prices' | 'mediaPrices' | 'defaultPrice' | 'promptTraining' | 'clientNames'
> {
  readonly problems: readonly string[]
}

/**
 * Reads the routes and prices of the file, what it says of models, and the default price, which the environment may
 * give instead of the file.
 */
export function resolvePrices(
  environment: Environment,
  file: FileSettings,
  upstreams: readonly UpstreamConfig[],
): ResolvedPrices {
  const problems: string[] = []
  const routes = new Map<string, RouteConfig>()
  for (const [id, entry] of Object.entries(file.routes)) {
    const route = resolveRoute(entry, `routes.${id}`, upstreams, problems)
    if (route !== null) routes.set(id, route)
  }
  const pair = environment.SVC_DEFAULT_PRICE
  if (pair !== undefined && file.defaultPrice !== undefined) {
    problems.push(`The default price is set in SVC_DEFAULT_PRICE and in ${CONFIG_FILE}. Keep one of them.`)
  }
  return {
    routes,
    prices: new Map(Object.entries(file.prices)),
    mediaPrices: new Map(Object.entries(file.mediaPrices)),
    promptTraining: new Map(Object.entries(file.promptTraining)),
    clientNames: new Map(Object.entries(file.clientNames)),
    defaultPrice: pair ?? file.defaultPrice ?? null,
    problems,
  }
}
