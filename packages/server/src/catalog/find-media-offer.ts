import { type CatalogConfig, type CatalogUpstream, listsPrices } from './catalog-config.ts'
import type { CatalogRow } from './catalog-row.ts'
import { dearestMedia } from '../pricing/dearest-media.ts'
import type { ListSource } from '../pricing/price.ts'
import type { ListedMedia, MediaOffer } from './media-offer.ts'
import type { KnownRows } from './route-alias.ts'

/** One model as it is about to be offered, at one upstream. */
export interface OfferedRow {
  readonly row: CatalogRow
  readonly upstream: CatalogUpstream
  /** The id by which prices are configured and listed. */
  readonly upstreamModel: string
  /** The price that the route gives this upstream. */
  readonly routeMedia: ListedMedia | null
}

/**
 * How a model's media are sold. The first of these that there is: the price on its route, the price configured for its
 * id, that of the first upstream's own list, and for models that OpenRouter or the sandbox serves the bundled list.
 *
 * @returns null when their price is unknown: then they are not sold.
 *
 * Source: decision 0022 (prices of media).
 */
export function findMediaOffer(config: CatalogConfig, rows: KnownRows, offered: OfferedRow): MediaOffer | null {
  const { row, upstream, upstreamModel } = offered
  const configured = offered.routeMedia ?? config.mediaPrices.get(upstreamModel) ?? null
  if (configured !== null) return { ...configured, source: 'configured' }
  const [primary] = config.upstreams
  const listed = rows.listed.get(upstreamModel)?.media ?? null
  if (upstream === primary && listed !== null) return { ...listed, source: rows.source }
  const bundled = rows.snapshot.get(upstreamModel)?.media ?? row.media
  if (!listsPrices(upstream.kind) || bundled === null) return null
  return { ...bundled, source: 'snapshot' }
}

/** Lists, the least trusted first. */
export const TRUST: readonly ListSource[] = ['snapshot', 'live', 'configured']

/**
 * How a model's media are offered that several upstreams make: what the first can do, at the prices of the dearest, as
 * far as the least trusted of their lists can be trusted. Offers of another kind than the first are none.
 *
 * @returns null for no offer.
 */
export function combineOffers(offers: readonly MediaOffer[]): MediaOffer | null {
  const [first] = offers
  if (first === undefined || offers.length === 1) return first ?? null
  const alike = offers.filter(({ type }) => type === first.type)
  const sources = alike.map(({ source }) => source)
  return {
    ...first,
    prices: dearestMedia([first.prices, ...alike.slice(1).map(({ prices }) => prices)]),
    isGuess: alike.some(({ isGuess }) => isGuess),
    source: TRUST.find((source) => sources.includes(source)) ?? first.source,
  } as MediaOffer
}
