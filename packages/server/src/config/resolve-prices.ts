import type { MediaPriceConfig, PriceConfig, RouteConfig, UpstreamConfig } from './config.ts'
import { CONFIG_FILE, type ConfigFile, type PriceEntry } from './config-file.ts'
import type { Environment } from './environment.ts'

export interface ResolvedPrices {
  readonly routes: ReadonlyMap<string, RouteConfig>
  readonly prices: ReadonlyMap<string, PriceConfig>
  readonly mediaPrices: ReadonlyMap<string, MediaPriceConfig>
  readonly defaultPrice: PriceConfig | null
  readonly problems: readonly string[]
}

/**
 * Reads the routes and prices of the file, and the default price, which the environment may give instead of the
 * file.
 */
export function resolvePrices(
  environment: Environment,
  file: ConfigFile,
  upstreams: readonly UpstreamConfig[],
): ResolvedPrices {
  const problems: string[] = []
  const routes = new Map<string, RouteConfig>()
  for (const [id, entry] of Object.entries(file.routes ?? {})) {
    if (!upstreams.some((upstream) => upstream.name === entry.upstream)) {
      problems.push(
        `${CONFIG_FILE}, routes.${id}: there is no upstream named "${entry.upstream}". ` +
          `Known are ${upstreams.map((upstream) => upstream.name).join(', ')}.`,
      )
    }
    const price = entry.price === undefined ? null : priceOf(entry.price, `routes.${id}.price`, problems)
    const mediaPrice = entry.media_price ?? null
    routes.set(id, { upstream: entry.upstream, model: entry.model ?? null, price, mediaPrice })
  }
  const prices = new Map<string, PriceConfig>()
  for (const [id, entry] of Object.entries(file.prices ?? {})) prices.set(id, priceOf(entry, `prices.${id}`, problems))
  const pair = environment.SVC_DEFAULT_PRICE
  if (pair !== undefined && file.default_price !== undefined) {
    problems.push(`The default price stands in SVC_DEFAULT_PRICE and in ${CONFIG_FILE}. Keep one of them.`)
  }
  const entry = pair ?? file.default_price
  return {
    routes,
    prices,
    mediaPrices: new Map(Object.entries(file.media_prices ?? {})),
    defaultPrice: entry === undefined ? null : priceOf(entry, 'default_price', problems),
    problems,
  }
}

function priceOf(entry: PriceEntry, path: string, problems: string[]): PriceConfig {
  const bounds = (entry.tiers ?? []).map((tier) => tier.above_input_tokens)
  if (bounds.some((bound, index) => index > 0 && bound <= (bounds[index - 1] ?? 0))) {
    problems.push(`${CONFIG_FILE}, ${path}.tiers: put the tiers in rising order of above_input_tokens.`)
  }
  return entry
}
