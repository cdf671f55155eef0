import { costPricesOfCard } from '../pricing/card.ts'
import type { ListPrice, TokenPrices } from '../pricing/price.ts'
import { withCachePrices } from './cache-prices.ts'
import {
  type CatalogConfig,
  type CatalogRoute,
  type CatalogTarget,
  type CatalogUpstream,
  listsPrices,
} from './catalog-config.ts'
import type { CatalogRow } from './catalog-row.ts'
import type { FeaturedAlias } from './featured.ts'
import type { ListedMedia } from './media-offer.ts'

/** Rows by upstream id, from the list of the first upstream and from the bundled snapshot. */
export interface KnownRows {
  readonly listed: ReadonlyMap<string, CatalogRow>
  readonly source: 'live' | 'snapshot'
  readonly snapshot: ReadonlyMap<string, CatalogRow>
  /** When the list was received, in milliseconds since the epoch. */
  readonly updatedAt: number
}

/** One place where an alias leads. */
export interface AliasPlace {
  readonly upstream: CatalogUpstream
  readonly upstreamModel: string
  /** The model that people know it by: shown as `alias_for`, and by which prices of media are found. */
  readonly target: string
  /** What is known about the target; null when nothing is. */
  readonly row: CatalogRow | null
  readonly list: ListPrice | null
  readonly isListed: boolean
  /** What the route says that media cost there; null where it says nothing. */
  readonly media: ListedMedia | null
  readonly weight: number
  /** Whether it is sold in chats: in production not where its price is unknown. */
  readonly isSold: boolean
}

/** Where an alias leads, and what that costs. */
export interface AliasRoute {
  /** The first that is sold in chats: what is shown of the alias is said of it. */
  readonly leading: AliasPlace
  /** In the order of the configuration, those that are not sold in chats among them. */
  readonly places: readonly AliasPlace[]
  /** Null where it is not configured. */
  readonly configured: CatalogRoute | null
}

/**
 * Finds where an alias leads: by its configured route, else by the kind of the first upstream.
 *
 * @returns null when the alias is refused: its price is unknown in production.
 *
 * Source: decision 0003 (routes of aliases).
 */
export function routeAlias(config: CatalogConfig, rows: KnownRows, alias: FeaturedAlias): AliasRoute | null {
  const configured = config.routes.get(alias.alias) ?? null
  const places = placesOfAlias(config, rows, alias, configured).map((place): AliasPlace => {
    return { ...place, isSold: !config.isProduction || isCostKnown(place) }
  })
  const leading = places.find(({ isSold }) => isSold)
  return leading === undefined ? null : { leading, places, configured }
}

type PlaceOfAlias = Omit<AliasPlace, 'isSold'>

function placesOfAlias(
  config: CatalogConfig,
  rows: KnownRows,
  alias: FeaturedAlias,
  configured: CatalogRoute | null,
): readonly PlaceOfAlias[] {
  if (configured === null) return [{ ...usualRoute(config, rows, alias), media: null, weight: 1 }]
  // Confidential compute is promised by one provider and never goes elsewhere.
  const targets = alias.confidential ? [configured] : [configured, ...configured.others]
  return targets.map((target) => {
    const { media, weight } = target
    return { ...targetOfAlias(config, rows, alias, target), media, weight }
  })
}

function isCostKnown({ upstream, list }: PlaceOfAlias): boolean {
  return upstream.reportsCost || (list !== null && list.source !== 'snapshot')
}

type TargetOfAlias = Omit<PlaceOfAlias, 'media' | 'weight'>

function targetOfAlias(
  config: CatalogConfig,
  rows: KnownRows,
  alias: FeaturedAlias,
  target: CatalogTarget,
): TargetOfAlias {
  const [primary] = config.upstreams
  const upstream = config.upstreams.find((candidate) => candidate.name === target.upstream) ?? primary
  const model = target.model ?? alias.model
  const price = target.price ?? config.prices.get(model) ?? null
  return withRow({ upstream, upstreamModel: model, price, isListed: true }, rows, alias, primary)
}

function usualRoute(config: CatalogConfig, rows: KnownRows, alias: FeaturedAlias): TargetOfAlias {
  const [primary] = config.upstreams
  if (listsPrices(primary.kind)) {
    const price = config.prices.get(alias.model) ?? null
    return withRow({ upstream: primary, upstreamModel: alias.model, price, isListed: true }, rows, alias, primary)
  }
  const found = namesOf(alias).find((name) => rows.listed.has(name))
  const price =
    namesOf(alias)
      .map((name) => config.prices.get(name))
      .find((prices) => prices !== undefined) ?? null
  return withRow(
    { upstream: primary, upstreamModel: found ?? alias.model, price, isListed: found !== undefined },
    rows,
    alias,
    primary,
  )
}

function withRow(
  chosen: { upstream: CatalogUpstream; upstreamModel: string; price: TokenPrices | null; isListed: boolean },
  rows: KnownRows,
  alias: FeaturedAlias,
  primary: CatalogUpstream,
): TargetOfAlias {
  const { upstream, upstreamModel, price, isListed } = chosen
  const snapshot = rows.snapshot.get(upstreamModel) ?? null
  if (upstream.kind === 'sandbox') {
    // The sandbox knows an alias by its own name, because it costs what the card leaves and not what the target is
    // listed at.
    const prices = costPricesOfCard(alias.card)
    const target = upstreamModel
    return {
      upstream,
      upstreamModel: alias.alias,
      target,
      row: snapshot,
      list: { prices, source: 'configured' },
      isListed,
    }
  }
  const listed = upstream === primary ? (rows.listed.get(upstreamModel) ?? null) : null
  return {
    upstream,
    upstreamModel,
    target: upstreamModel,
    row: listed ?? snapshot,
    list: listPrice(
      price === null ? null : withCachePrices(upstream.kind, price),
      listed,
      upstream.kind === 'openrouter' ? snapshot : null,
      rows.source,
    ),
    isListed,
  }
}

function listPrice(
  price: TokenPrices | null,
  listed: CatalogRow | null,
  snapshot: CatalogRow | null,
  source: 'live' | 'snapshot',
): ListPrice | null {
  if (price !== null) return { prices: price, source: 'configured' }
  if (listed !== null && listed.prices !== null) return { prices: listed.prices, source }
  if (snapshot !== null && snapshot.prices !== null) return { prices: snapshot.prices, source: 'snapshot' }
  return null
}

/**
 * Names under which an upstream may have what an alias means: the alias, the maker's id, and the id without the
 * maker.
 */
function namesOf(alias: FeaturedAlias): readonly string[] {
  return [alias.alias, alias.model, alias.model.slice(alias.model.indexOf('/') + 1)]
}
