/**
 * What an operator decides about the catalog, as this room reads it.
 */
import type { PromptTraining } from '@svc/contract'
import { InvariantError } from '../platform/errors/invariant-error.ts'
import type { CardUnit } from '../pricing/card.ts'
import { readPriceTexts, type PriceTexts } from '../pricing/configured-price.ts'
import type { TokenPrices } from '../pricing/price.ts'
import { ClientNames, usualClientNames } from './client-names.ts'
import type { ListedMedia } from './media-offer.ts'
import { type MediaTexts, readMediaTexts } from './media-texts.ts'

export type UpstreamKind = 'sandbox' | 'openrouter' | 'openai-compatible' | 'anthropic' | 'gemini'

/**
 * Whether upstreams of a kind list all that they sell with its price; the others sell what has one in the
 * configuration.
 */
export function listsPrices(kind: UpstreamKind): boolean {
  return kind === 'openrouter' || kind === 'sandbox'
}

export interface CatalogUpstream {
  readonly name: string
  readonly kind: UpstreamKind
  /** Whether its answers say what each request cost. */
  readonly reportsCost: boolean
  /** What the operator says of all that it serves; null or absent says nothing. */
  readonly promptTraining?: PromptTraining | null
}

/** One place where requests for an alias or id can go. */
export interface CatalogTarget {
  /** Name of a configured upstream. */
  readonly upstream: string
  /** The id that this upstream knows; null keeps the catalog's. */
  readonly model: string | null
  /** What it costs there; null when nothing is configured. */
  readonly price: TokenPrices | null
  readonly media: ListedMedia | null
  /** Its part of the requests. */
  readonly weight: number
}

/** Where requests for one alias or id go: the first target, and the others. */
export interface CatalogRoute extends CatalogTarget {
  readonly others: readonly CatalogTarget[]
  readonly isWeighted: boolean
  readonly fallback: boolean
}

interface TargetSettings {
  readonly upstream: string
  readonly model: string | null
  readonly price: PriceTexts | null
  readonly mediaPrice?: MediaTexts | null
  readonly weight?: number
}

/** Absent parts are those of a route with one target. */
interface RouteSettings extends TargetSettings {
  readonly others?: readonly TargetSettings[]
  readonly isWeighted?: boolean
  readonly fallback?: boolean
}

export interface CatalogConfig {
  /** `openrouter/` by default, empty for other upstreams. */
  readonly prefix: string
  readonly cardUnit: CardUnit
  /** The first one's list makes the catalog, and it serves what has no route. */
  readonly upstreams: readonly [CatalogUpstream, ...CatalogUpstream[]]
  /** By alias, or by model id with or without the prefix. */
  readonly routes: ReadonlyMap<string, CatalogRoute>
  /** By the id that the upstream knows. */
  readonly prices: ReadonlyMap<string, TokenPrices>
  /** The same, for models that make or read media. */
  readonly mediaPrices: ReadonlyMap<string, ListedMedia>
  /** For models of an `openai-compatible` list that have no other price. Never for an alias, which has its card. */
  readonly defaultPrice: TokenPrices | null
  /** Whether prompts may be trained on, by the id that the upstream knows, or by its start with `*` behind it. */
  readonly promptTraining?: ReadonlyMap<string, PromptTraining>
  /** Names that clients ask for by default. */
  readonly clientNames: ClientNames
  /** A bind that is not loopback: aliases of unknown cost are refused. */
  readonly isProduction: boolean
}

/** The part of the gateway's configuration that the catalog depends on, prices as text. */
export interface CatalogSettings {
  /** Null takes what is usual for the first upstream's kind. */
  readonly catalogPrefix: string | null
  readonly rateCardUnit: CardUnit
  readonly upstreams: readonly [CatalogUpstream, ...CatalogUpstream[]]
  readonly routes: ReadonlyMap<string, RouteSettings>
  readonly prices: ReadonlyMap<string, PriceTexts>
  readonly mediaPrices?: ReadonlyMap<string, MediaTexts>
  readonly defaultPrice: PriceTexts | null
  readonly promptTraining?: ReadonlyMap<string, PromptTraining>
  /** In place of the usual ones of the same name, or beside them; null takes one away. */
  readonly clientNames?: ReadonlyMap<string, string | null>
  readonly isProduction: boolean
}

/** Source: decision 0003 (catalog ids). */
const usualPrefix: Readonly<Record<UpstreamKind, string>> = {
  sandbox: 'openrouter/',
  openrouter: 'openrouter/',
  'openai-compatible': '',
  anthropic: '',
  gemini: '',
}

/**
 * Takes the catalog's part out of the configuration and reads its prices.
 *
 * @throws {InvariantError} when a price is not a decimal, which the configuration has checked.
 */
export function catalogConfigFrom(settings: CatalogSettings): CatalogConfig {
  return {
    prefix: settings.catalogPrefix ?? usualPrefix[settings.upstreams[0].kind],
    cardUnit: settings.rateCardUnit,
    upstreams: settings.upstreams,
    routes: new Map([...settings.routes].map(([id, route]): [string, CatalogRoute] => [id, readRoute(route)])),
    prices: new Map([...settings.prices].map(([id, texts]): [string, TokenPrices] => [id, readPrice(texts)])),
    mediaPrices: new Map(
      [...(settings.mediaPrices ?? [])].map(([id, texts]): [string, ListedMedia] => [id, readMedia(texts)]),
    ),
    defaultPrice: settings.defaultPrice === null ? null : readPrice(settings.defaultPrice),
    promptTraining: settings.promptTraining ?? new Map(),
    clientNames: new ClientNames(usualClientNames(), settings.clientNames ?? new Map()),
    isProduction: settings.isProduction,
  }
}

function readRoute(route: RouteSettings): CatalogRoute {
  const { others = [], isWeighted = false, fallback = true } = route
  return { ...readTarget(route), others: others.map(readTarget), isWeighted, fallback }
}

function readTarget({ upstream, model, price, mediaPrice = null, weight = 1 }: TargetSettings): CatalogTarget {
  return {
    upstream,
    model,
    price: price === null ? null : readPrice(price),
    media: mediaPrice === null ? null : readMedia(mediaPrice),
    weight,
  }
}

function readPrice(texts: PriceTexts): TokenPrices {
  const prices = readPriceTexts(texts)
  if (prices === null) throw new InvariantError('A configured price is not a decimal.')
  return prices
}

function readMedia(texts: MediaTexts): ListedMedia {
  const media = readMediaTexts(texts, false)
  if (media === null) throw new InvariantError('A configured price is not a decimal.')
  return media
}
