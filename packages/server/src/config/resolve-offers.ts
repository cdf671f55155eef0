/** Prices and routes that operators set while the gateway runs, read as those of the file are. */
import type { OfferPrice, OfferRoute } from '@svc/contract'
import type { Config, RouteConfig, UpstreamConfig } from './config.ts'
import { CONFIG_FILE, priceSchema, type PriceEntry, routeSchema } from './config-file.ts'
import { endSentence, plainProblem } from './plain-problem.ts'
import { resolveRoute } from './resolve-route.ts'

/** What is set beside the file, as the catalog reads it. */
export type OfferSettings = Pick<Config, 'routes' | 'prices'>

export const NO_OFFERS: OfferSettings = { routes: new Map(), prices: new Map() }

/** Without what is null: the file has no nulls. */
function written(value: object): object {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]: [string, unknown]) =>
      each === null ? [] : [[name, typeof each === 'object' && !Array.isArray(each) ? written(each as object) : each]],
    ),
  )
}

export function priceOfOffer(price: OfferPrice): PriceEntry {
  return priceSchema.parse(written(price))
}

/** @returns null when it is wrong; `problems` then says why. */
export function routeOfOffer(
  id: string,
  { targets, fallback }: OfferRoute,
  upstreams: readonly UpstreamConfig[],
  problems: string[],
): RouteConfig | null {
  const found: string[] = []
  const parsed = routeSchema.safeParse({ targets: targets.map(written), fallback }, { error: plainProblem })
  if (parsed.error !== undefined) {
    // The file asks more of a name than the console does.
    for (const { path, message } of parsed.error.issues) {
      problems.push(`The route of ${id}, ${path.join('.')}: ${endSentence(message)}`)
    }
    return null
  }
  const route = resolveRoute(parsed.data, `routes.${id}`, upstreams, found)
  // Its words are those for the file, which this is none of.
  problems.push(...found.map((problem) => problem.replace(`${CONFIG_FILE}, routes.${id}`, `The route of ${id}`)))
  return found.length === 0 ? route : null
}

/** The configuration with what is set beside the file. What the file sets goes first. */
export function withOffers<Settings extends OfferSettings>(settings: Settings, offers: OfferSettings): Settings {
  return {
    ...settings,
    routes: new Map([...offers.routes, ...settings.routes]),
    prices: new Map([...offers.prices, ...settings.prices]),
  }
}

/** An entry of the file as the console shows it; of a price only what both know. */
export function offerOfPrice(price: PriceEntry): OfferPrice {
  return {
    ...{ input: price.input, output: price.output, cached_input: price.cached_input ?? null },
    ...{ cache_write: price.cache_write ?? null, request: price.request ?? null },
  }
}

export function offerOfRoute({ others, isWeighted, fallback, ...first }: RouteConfig): OfferRoute {
  return {
    targets: [first, ...others].map(({ upstream, model, price, billsOnCancel, weight }) => ({
      ...{ upstream, model, price: price === null ? null : offerOfPrice(price) },
      ...{ bills_on_cancel: billsOnCancel, weight: isWeighted ? weight : null },
    })),
    fallback,
  }
}
