/**
 * Makes the catalog from an upstream's list, the rate card and the configuration.
 */
import type { ChatPrice, ListPrice, TokenPrices } from '../pricing/price.ts'
import { isEmbeddingId } from './embedding-id.ts'
import { withCachePrices } from './cache-prices.ts'
import { createCatalog, type Catalog } from './catalog.ts'
import { type CatalogConfig, type CatalogTarget, type CatalogUpstream, listsPrices } from './catalog-config.ts'
import type { CatalogList, CatalogRow } from './catalog-row.ts'
import type { FeaturedAlias } from './featured.ts'
import type { ListedMedia } from './media-offer.ts'
import { promptTrainingOf } from './prompt-training.ts'
import { offerMedia } from './offer-media.ts'
import type { Model, ModelTarget } from './model.ts'
import { modelRoute, routeAlias, type AliasRoute, type KnownRows } from './route-alias.ts'

export interface BuiltCatalog {
  readonly catalog: Catalog
  /** Aliases that production does not serve, because nobody could tell what they cost. */
  readonly refusedAliases: readonly string[]
}

export interface CatalogSources {
  readonly featured: readonly FeaturedAlias[]
  readonly snapshot: CatalogList
  /**
   * Models that the sandbox plays by a script; they can be asked for and are never listed. Returns null for any other
   * id.
   */
  readonly findScripted: (id: string) => ScriptedModel | null
}

export interface ScriptedModel {
  /** Absent for a model that chats, or whose media tell its type. */
  readonly type?: 'embedding'
  /** Null for a model that is not sold by tokens. */
  readonly prices: TokenPrices | null
  /** For a model that makes or reads media; its type is that of the model. */
  readonly media?: ListedMedia
  readonly contextLength: number
  readonly maxOutputTokens: number
}

/** Longest id that a request may name; also of an id that is passed on unknown. */
const MAX_ID_LENGTH = 256

const PLAIN_ID = /^[\x21-\x7e]+$/

/**
 * Builds the whole catalog. The first upstream's kind decides what is in it: `sandbox` and `openrouter` offer all of
 * their list and all aliases; the others offer what has a price.
 *
 * @param list the first upstream's own list; null when none was ever received, then the snapshot stands in where that
 * is right.
 *
 * Source: spec 1 and 2.14, decision 0003.
 */
export function buildCatalog(sources: CatalogSources, config: CatalogConfig, list: CatalogList | null): BuiltCatalog {
  const [primary] = config.upstreams
  const own = list ?? (listsPrices(primary.kind) ? sources.snapshot : configuredOnly(config))
  const rows: KnownRows = {
    listed: byId(own.rows),
    source: own.source,
    snapshot: byId(sources.snapshot.rows),
    updatedAt: own.updatedAt,
  }
  const routed = sources.featured.map((alias) => ({ alias, route: routeAlias(config, rows, alias) }))
  const aliases = routed.flatMap(({ alias, route }) =>
    route === null ? [] : [{ route, model: aliasModel(config, rows, alias, route) }],
  )
  const aliasNames = new Set(sources.featured.map((alias) => alias.alias))
  const leads = new Map<string, string[]>()
  for (const { route, model } of aliases) leads.set(route.target, [...(leads.get(route.target) ?? []), model.id])
  const models = [...own.rows, ...routedOnly(config, rows, aliasNames)]
    .flatMap((row) => rowModel(config, rows, row, leads.get(row.id) ?? []) ?? [])
    .filter((model) => !aliasNames.has(model.id))
    .sort((left, right) => (left.id < right.id ? -1 : 1))
  const catalog = createCatalog({
    listed: [...aliases.filter(({ route }) => route.isListed).map(({ model }) => model), ...models],
    unlisted: aliases.filter(({ route }) => !route.isListed).map(({ model }) => model),
    prefix: config.prefix,
    updatedAt: own.updatedAt,
    findUnknown: (id) => findUnknown(sources, config, list, id),
  })
  return { catalog, refusedAliases: routed.filter(({ route }) => route === null).map(({ alias }) => alias.alias) }
}

function aliasModel(config: CatalogConfig, rows: KnownRows, alias: FeaturedAlias, route: AliasRoute): Model {
  const row = route.row ?? unknownRow(route.target, rows.updatedAt)
  const routeMedia = config.routes.get(alias.alias)?.media ?? null
  return {
    ...modelFacts(row),
    id: alias.alias,
    upstream: route.upstream.name,
    upstreamModel: route.upstreamModel,
    type: alias.type,
    featured: true,
    price: { card: alias.card, list: route.list },
    route: route.route,
    media: offerMedia(config, rows, { row, upstream: route.upstream, upstreamModel: route.target, routeMedia }),
    aliases: [],
    aliasFor: config.prefix + route.target,
    confidential: alias.confidential,
    promptTraining: aliasTraining(config, alias, route),
  }
}

/** The sandbox knows an alias by its own name: what is said of the model that it stands for holds. */
function aliasTraining(config: CatalogConfig, alias: FeaturedAlias, { upstream, target, route }: AliasRoute) {
  const places = route?.targets ?? [{ upstream: upstream.name, upstreamModel: target }]
  const known = places.map((place) =>
    place.upstreamModel === alias.alias ? { ...place, upstreamModel: target } : place,
  )
  // Providers of confidential compute cannot read what they would train on.
  return promptTrainingOf(config, known) ?? (alias.confidential ? 'never' : null)
}

/** Returns null for a model that has no price and is therefore not offered. */
function rowModel(config: CatalogConfig, rows: KnownRows, row: CatalogRow, aliases: readonly string[]): Model | null {
  const id = config.prefix + row.id
  const route = config.routes.get(row.id) ?? config.routes.get(id) ?? null
  const { upstream, upstreamModel } = placeOf(config, row, route)
  const media = offerMedia(config, rows, { row, upstream, upstreamModel, routeMedia: route?.media ?? null })
  const type = media?.type ?? row.type
  const targets = (route === null ? [null] : [route, ...route.others])
    .map((target) => rowTarget(config, { ...row, type }, rows.source, target))
    // A target without a price is not sold, and so not asked.
    .filter((target) => target.price !== null)
  const [first] = targets
  if (first === undefined && media === null) return null
  return {
    ...modelFacts(row),
    id,
    upstream: first?.upstream ?? upstream.name,
    upstreamModel: first?.upstreamModel ?? upstreamModel,
    type,
    featured: false,
    price: first?.price ?? null,
    media,
    route: route === null || media !== null ? null : modelRoute(route, targets as readonly ModelTarget[]),
    aliases,
    aliasFor: null,
    confidential: false,
    promptTraining: promptTrainingOf(config, media === null ? targets : [{ upstream: upstream.name, upstreamModel }]),
  }
}

function placeOf(config: CatalogConfig, row: CatalogRow, target: CatalogTarget | null) {
  const [primary] = config.upstreams
  const upstream = config.upstreams.find((candidate) => candidate.name === target?.upstream) ?? primary
  return { upstream, upstreamModel: target?.model ?? row.id }
}

function rowTarget(
  config: CatalogConfig,
  row: CatalogRow,
  source: 'live' | 'snapshot',
  route: CatalogTarget | null,
): Omit<ModelTarget, 'price'> & { readonly price: ChatPrice | null } {
  const { upstream, upstreamModel } = placeOf(config, row, route)
  const list = rowPrice(config, { row, source, upstream, upstreamModel, route })
  const price: ChatPrice | null = list === null ? null : { card: null, list }
  return { upstream: upstream.name, upstreamModel, price, weight: route?.weight ?? 1 }
}

function rowPrice(
  config: CatalogConfig,
  from: {
    readonly row: CatalogRow
    readonly source: 'live' | 'snapshot'
    readonly upstream: CatalogUpstream
    readonly upstreamModel: string
    readonly route: CatalogTarget | null
  },
): ListPrice | null {
  const [primary] = config.upstreams
  const { kind } = from.upstream
  const configured = from.route?.price ?? config.prices.get(from.upstreamModel) ?? null
  if (configured !== null) return { prices: withCachePrices(kind, configured), source: 'configured' }
  // A list says what its own upstream costs, and nothing about another one that serves the same model.
  if (from.upstream === primary && from.row.prices !== null) return { prices: from.row.prices, source: from.source }
  const takesDefault = !listsPrices(from.upstream.kind) && (from.row.type === 'text' || from.row.type === 'embedding')
  if (!takesDefault || config.defaultPrice === null) return null
  return { prices: withCachePrices(kind, config.defaultPrice), source: 'configured' }
}

/** Models that only the configuration knows: routed to some upstream and in no list. */
function routedOnly(config: CatalogConfig, rows: KnownRows, aliasNames: ReadonlySet<string>): readonly CatalogRow[] {
  const bare = [...config.routes.keys()].map((id) =>
    config.prefix !== '' && id.startsWith(config.prefix) ? id.slice(config.prefix.length) : id,
  )
  return bare
    .filter((id) => !rows.listed.has(id) && !aliasNames.has(id))
    .map((id) => ({ ...(rows.snapshot.get(id) ?? unknownRow(id, rows.updatedAt)), prices: null, media: null }))
}

/**
 * Stands in for the list of an upstream that lists no prices and has given none: the models with a configured price.
 */
function configuredOnly(config: CatalogConfig): CatalogList {
  const ids = new Set([...config.prices.keys(), ...config.mediaPrices.keys()])
  return { rows: [...ids].map((id) => unknownRow(id, 0)), source: 'live', updatedAt: 0 }
}

function findUnknown(
  sources: CatalogSources,
  config: CatalogConfig,
  list: CatalogList | null,
  id: string,
): Model | null {
  const [primary] = config.upstreams
  if (id.length > MAX_ID_LENGTH || !PLAIN_ID.test(id)) return null
  if (primary.kind === 'sandbox') return scriptedModel(primary, id, sources.findScripted(id))
  // An upstream without a list may have any model, and all cost the default; with a list, what is not in it does not
  // exist.
  if (listsPrices(primary.kind) || list !== null || config.defaultPrice === null) return null
  const rows: KnownRows = { listed: new Map(), source: 'live', snapshot: new Map(), updatedAt: 0 }
  return rowModel(config, rows, unknownRow(id, 0), [])
}

function scriptedModel(upstream: CatalogUpstream, id: string, scripted: ScriptedModel | null): Model | null {
  if (scripted === null) return null
  const { prices, media, contextLength, maxOutputTokens } = scripted
  const type = media?.type ?? scripted.type ?? 'text'
  return {
    ...modelFacts({ ...unknownRow(id, 0), contextLength, maxOutputTokens }),
    id,
    upstream: upstream.name,
    upstreamModel: id,
    type,
    outputModalities: type === 'embedding' ? ['embeddings'] : ['text'],
    featured: false,
    price: prices === null ? null : { card: null, list: { prices, source: 'configured' } },
    media: media === undefined ? null : { ...media, source: 'configured' },
    route: null,
    aliases: [],
    aliasFor: null,
    confidential: false,
    promptTraining: null,
  }
}

function modelFacts(row: CatalogRow) {
  return {
    name: row.name,
    description: row.description,
    ownedBy: row.id.includes('/') ? row.id.slice(0, row.id.indexOf('/')) : row.id,
    created: row.created,
    contextLength: row.contextLength,
    maxOutputTokens: row.maxOutputTokens,
    inputModalities: row.inputModalities,
    outputModalities: row.outputModalities,
    supportedParameters: row.supportedParameters,
  }
}

function unknownRow(id: string, updatedAt: number): CatalogRow {
  const isEmbedding = isEmbeddingId(id)
  return {
    id,
    type: isEmbedding ? 'embedding' : 'text',
    name: id,
    description: null,
    created: Math.floor(updatedAt / 1_000),
    contextLength: null,
    maxOutputTokens: null,
    inputModalities: ['text'],
    outputModalities: [isEmbedding ? 'embeddings' : 'text'],
    supportedParameters: [],
    prices: null,
    media: null,
  }
}

function byId(rows: readonly CatalogRow[]): ReadonlyMap<string, CatalogRow> {
  return new Map(rows.map((row) => [row.id, row]))
}
