import type { PromptTraining } from '@svc/contract'
import type { MediaPriceConfig, PriceConfig, RouteConfig, UpstreamConfig } from './config.ts'
import { CONFIG_FILE, type ConfigFile } from './config-file.ts'
import type { Environment } from './environment.ts'
import { priceOf, resolveRoute } from './resolve-route.ts'

export interface ResolvedPrices {
  readonly routes: ReadonlyMap<string, RouteConfig>
  readonly prices: ReadonlyMap<string, PriceConfig>
  readonly mediaPrices: ReadonlyMap<string, MediaPriceConfig>
  readonly defaultPrice: PriceConfig | null
  readonly promptTraining: ReadonlyMap<string, PromptTraining>
  readonly problems: readonly string[]
}

/**
 * Reads the routes and prices of the file, what it says of models, and the default price, which the environment may
 * give instead of the file.
 */
export function resolvePrices(
  environment: Environment,
  file: ConfigFile,
  upstreams: readonly UpstreamConfig[],
): ResolvedPrices {
  const problems: string[] = []
  const routes = new Map<string, RouteConfig>()
  for (const [id, entry] of Object.entries(file.routes ?? {})) {
    const route = resolveRoute(entry, `routes.${id}`, upstreams, problems)
    if (route !== null) routes.set(id, route)
  }
  const prices = new Map<string, PriceConfig>()
  for (const [id, entry] of Object.entries(file.prices ?? {})) prices.set(id, priceOf(entry, `prices.${id}`, problems))
  const pair = environment.SVC_DEFAULT_PRICE
  if (pair !== undefined && file.default_price !== undefined) {
    problems.push(`The default price is set in SVC_DEFAULT_PRICE and in ${CONFIG_FILE}. Keep one of them.`)
  }
  const entry = pair ?? file.default_price
  return {
    routes,
    prices,
    mediaPrices: new Map(Object.entries(file.media_prices ?? {})),
    promptTraining: new Map(Object.entries(file.prompt_training ?? {})),
    defaultPrice: entry === undefined ? null : priceOf(entry, 'default_price', problems),
    problems,
  }
}
