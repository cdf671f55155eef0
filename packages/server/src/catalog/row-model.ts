/** From a row of a list to a model under its own id. */
import { isSoldByTokens } from '@svc/contract'
import type { ChatPrice, ListPrice, TokenPrices } from '../pricing/price.ts'
import { withCachePrices } from './cache-prices.ts'
import { type CatalogConfig, type CatalogTarget, type CatalogUpstream, listsPrices } from './catalog-config.ts'
import type { CatalogRow } from './catalog-row.ts'
import type { ListedMedia, MediaOffer } from './media-offer.ts'
import type { Model, ModelTarget } from './model.ts'
import { modelFacts } from './model-facts.ts'
import { findMediaOffer } from './find-media-offer.ts'
import { promptTrainingOf } from './prompt-training.ts'
import type { KnownRows } from './route-alias.ts'
import { soldPlaces } from './sold-places.ts'

/** Makes a model of a row. @returns null for a model that has no price and is therefore not offered. */
export function rowModel(
  config: CatalogConfig,
  rows: KnownRows,
  row: CatalogRow,
  aliases: readonly string[],
): Model | null {
  const id = config.prefix + row.id
  const configured = config.routes.get(row.id) ?? config.routes.get(id) ?? null
  const places = (configured === null ? [null] : [configured, ...configured.others]).map((target) =>
    placeOf(config, row, target),
  )
  const offers = places.map((place) => findMediaOffer(config, rows, { row, ...place }))
  const type = offers.find((media) => media !== null)?.type ?? row.type
  const placed = places.map((place, at) =>
    rowTarget(config, { row: { ...row, type }, source: rows.source, place }, offers[at] ?? null),
  )
  const { targets, media, route } = soldPlaces(configured, placed)
  const [first] = targets
  if (first === undefined) return null
  return {
    ...modelFacts(row),
    id,
    upstream: first.upstream,
    upstreamModel: first.upstreamModel,
    type,
    featured: false,
    price: targets.find(({ price }) => price !== null)?.price ?? null,
    ...{ media, route },
    aliases,
    aliasFor: null,
    confidential: false,
    promptTraining: promptTrainingOf(config, targets),
  }
}

/** Where requests for a row go, by one target of its route or without any. */
interface RowPlace {
  readonly upstream: CatalogUpstream
  readonly upstreamModel: string
  readonly routePrice: TokenPrices | null
  readonly routeMedia: ListedMedia | null
  readonly weight: number
}

function placeOf(config: CatalogConfig, row: CatalogRow, target: CatalogTarget | null): RowPlace {
  const [primary] = config.upstreams
  const upstream = config.upstreams.find((candidate) => candidate.name === target?.upstream) ?? primary
  return {
    ...{ upstream, upstreamModel: target?.model ?? row.id },
    ...{ routePrice: target?.price ?? null, routeMedia: target?.media ?? null, weight: target?.weight ?? 1 },
  }
}

interface PlacedRow {
  readonly row: CatalogRow
  readonly source: 'live' | 'snapshot'
  readonly place: RowPlace
}

function rowTarget(config: CatalogConfig, placed: PlacedRow, media: MediaOffer | null): ModelTarget {
  const { upstream, upstreamModel, weight } = placed.place
  const list = rowPrice(config, placed)
  const price: ChatPrice | null = list === null ? null : { card: null, list }
  return { upstream: upstream.name, upstreamModel, price, media, weight }
}

function rowPrice(config: CatalogConfig, { row, source, place }: PlacedRow): ListPrice | null {
  const [primary] = config.upstreams
  const { kind } = place.upstream
  const configured = place.routePrice ?? config.prices.get(place.upstreamModel) ?? null
  if (configured !== null) return { prices: withCachePrices(kind, configured), source: 'configured' }
  // A list says what its own upstream costs, and nothing about another one that serves the same model.
  if (place.upstream === primary && row.prices !== null) return { prices: row.prices, source }
  const takesDefault = !listsPrices(kind) && isSoldByTokens(row.type)
  if (!takesDefault || config.defaultPrice === null) return null
  return { prices: withCachePrices(kind, config.defaultPrice), source: 'configured' }
}
