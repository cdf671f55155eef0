/**
 * Makes the catalog from an upstream's list, the rate card and the configuration.
 */
import { isSoldByPrompt, type PromptModelType } from '@svc/contract'
import type { TokenPrices } from '../pricing/price.ts'
import { createCatalog, type Catalog } from './catalog.ts'
import { type CatalogConfig, type CatalogUpstream, listsPrices } from './catalog-config.ts'
import type { CatalogList, CatalogRow } from './catalog-row.ts'
import type { FeaturedAlias } from './featured.ts'
import type { ListedMedia } from './media-offer.ts'
import type { Model, ModelTarget } from './model.ts'
import { modelFacts, unknownRow } from './model-facts.ts'
import { findMediaOffer } from './find-media-offer.ts'
import { promptTrainingOf } from './prompt-training.ts'
import { type AliasPlace, type AliasRoute, type KnownRows, routeAlias } from './route-alias.ts'
import { rowModel } from './row-model.ts'
import { soldPlaces } from './sold-places.ts'

export interface BuiltCatalog {
  readonly catalog: Catalog
  /** Aliases that production does not serve, because their price is unknown. */
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
  readonly type?: PromptModelType
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
 * @param list the first upstream's own list; null when none was ever received: then the snapshot replaces it if that
 * upstream lists prices.
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
  for (const { route, model } of aliases) {
    const { target } = route.leading
    leads.set(target, [...(leads.get(target) ?? []), model.id])
  }
  const models = [...own.rows, ...routedOnly(config, rows, aliasNames)]
    .flatMap((row) => rowModel(config, rows, row, leads.get(row.id) ?? []) ?? [])
    .filter((model) => !aliasNames.has(model.id))
    .sort((left, right) => (left.id < right.id ? -1 : 1))
  const catalog = createCatalog({
    listed: [...aliases.filter(({ route }) => route.leading.isListed).map(({ model }) => model), ...models],
    unlisted: aliases.filter(({ route }) => !route.leading.isListed).map(({ model }) => model),
    prefix: config.prefix,
    updatedAt: own.updatedAt,
    clientNames: config.clientNames,
    findUnknown: (id) => findUnknown(sources, config, list, id),
  })
  return { catalog, refusedAliases: routed.filter(({ route }) => route === null).map(({ alias }) => alias.alias) }
}

function aliasModel(config: CatalogConfig, rows: KnownRows, alias: FeaturedAlias, led: AliasRoute): Model {
  const { leading, places, configured } = led
  const row = leading.row ?? unknownRow(leading.target, rows.updatedAt)
  const { targets, media, route } = soldPlaces(
    configured,
    places.map((place): ModelTarget => {
      const { upstream, upstreamModel, weight, isSold, list } = place
      const known = place.row ?? unknownRow(place.target, rows.updatedAt)
      const offered = { row: known, upstream, upstreamModel: place.target, routeMedia: place.media }
      const price = isSold ? { card: alias.card, list } : null
      return { upstream: upstream.name, upstreamModel, weight, price, media: findMediaOffer(config, rows, offered) }
    }),
  )
  return {
    ...modelFacts(row),
    id: alias.alias,
    upstream: leading.upstream.name,
    upstreamModel: leading.upstreamModel,
    type: alias.type,
    featured: true,
    price: { card: alias.card, list: leading.list },
    ...{ route, media },
    aliases: [],
    aliasFor: config.prefix + leading.target,
    confidential: alias.confidential,
    promptTraining: aliasTraining(config, alias, leading, targets),
  }
}

/** The sandbox knows an alias by its own name: what is configured for the alias's model applies. */
function aliasTraining(
  config: CatalogConfig,
  alias: FeaturedAlias,
  { target }: AliasPlace,
  places: readonly ModelTarget[],
) {
  const known = places.map((place) =>
    place.upstreamModel === alias.alias ? { ...place, upstreamModel: target } : place,
  )
  // Providers of confidential compute cannot read what they would train on.
  return promptTrainingOf(config, known) ?? (alias.confidential ? 'never' : null)
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
 * Replaces the list of an upstream that lists no prices and has given none: the models with a configured price.
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
    outputModalities: [type === 'embedding' ? 'embeddings' : isSoldByPrompt(type) ? type : 'text'],
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

function byId(rows: readonly CatalogRow[]): ReadonlyMap<string, CatalogRow> {
  return new Map(rows.map((row) => [row.id, row]))
}
