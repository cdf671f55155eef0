/**
 * Opens the catalog: from the last good copy or the bundled snapshot at once, from the upstream's own list as soon as
 * it answers.
 */
import { isSoldByTokens, trimEndOf } from '@svc/contract'
import { type BuiltCatalog, buildCatalog } from '../catalog/build-catalog.ts'
import { catalogConfigFrom, listsPrices } from '../catalog/catalog-config.ts'
import { type Catalog, createLiveCatalog, type LiveCatalog } from '../catalog/catalog.ts'
import type { CatalogList, CatalogRow } from '../catalog/catalog-row.ts'
import { loadFeatured } from '../catalog/featured.ts'
import { createLastGoodCopy } from '../catalog/last-good-copy.ts'
import { describeUnderpricedAliases, findUnderpricedAliases } from '../catalog/price-check.ts'
import { type ChangedIds, refreshCatalog, type RefreshResult } from '../catalog/refresh.ts'
import { loadSnapshot } from '../catalog/snapshot.ts'
import type { Config, UpstreamConfig } from '../config/config.ts'
import { type OfferSettings, withOffers } from '../config/resolve-offers.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import { loadSandbox, type SandboxPackage } from './load-sandbox.ts'
import { scriptedModelOf } from './open-sandbox.ts'
import type { Clock } from '../platform/runtime/clock.ts'
import type { Logger } from '../platform/runtime/log.ts'

export interface OpenCatalog {
  /** Whether the prices are the upstream's own: from its list, or from the last good copy of it. */
  readonly isOwn: () => boolean
  readonly catalog: LiveCatalog
  /** Asks the upstream for its list and swaps it in; what came of it goes to the log. */
  refresh(fetchList: () => Promise<unknown>): Promise<void>
  /** Routes of the file, and what operators have set beside it. */
  readonly routes: () => Config['routes']
  /** Sells by what operators have set beside the file. */
  apply(offers: OfferSettings): void
  /** The catalog as it would be; nothing is sold by it. */
  preview(offers: OfferSettings): Catalog
}

/** Opens the catalog and says what the operator has to know about its prices. */
export async function openCatalog(config: Config, clock: Clock, log: Logger): Promise<OpenCatalog> {
  let settings = catalogConfigFrom(config)
  let { routes } = config
  const [primary] = config.upstreams
  const sandbox = primary.kind === 'sandbox' ? await loadSandbox() : null
  const sources = {
    featured: loadFeatured(config.rateCardUnit),
    snapshot: sandbox === null ? loadSnapshot() : makeable(loadSnapshot(), sandbox, config),
    findScripted: (id: string) => {
      const found = sandbox?.findSandboxModel(id) ?? null
      return found === null ? null : scriptedModelOf(found)
    },
  }
  let latest: CatalogList | null = null
  const build = (list: CatalogList | null): BuiltCatalog => {
    latest = list
    return buildCatalog(sources, settings, list)
  }
  const lastGood = createLastGoodCopy({
    dataDir: config.dataDir,
    upstream: primary.name,
    origin: primary.url ?? primary.kind,
  })
  const copy = primary.kind === 'sandbox' ? null : await lastGood.read()
  const built = build(copy)
  let isOwn = primary.kind === 'sandbox' || copy !== null
  let toldUnpriced = ''
  const catalog = createLiveCatalog(built.catalog)
  for (const alias of built.refusedAliases) {
    log.warn({ alias }, 'This alias is not served: its upstream neither reports a cost nor has a configured price.')
  }
  const underpriced = describeUnderpricedAliases(findUnderpricedAliases(catalog))
  if (underpriced !== null) log.warn(underpriced)
  return {
    catalog,
    isOwn: () => isOwn,
    routes: () => routes,
    apply: (offers) => {
      const both = withOffers(config, offers)
      settings = catalogConfigFrom(both)
      routes = both.routes
      catalog.replace(build(latest).catalog)
    },
    preview: (offers) => buildCatalog(sources, catalogConfigFrom(withOffers(config, offers)), latest).catalog,
    refresh: async (fetchList) => {
      const result = await refreshCatalog({ catalog, build, fetchList, lastGood, clock })
      if (result.kind === 'kept') {
        const { reason } = result
        log.warn({ upstream: primary.name, reason, ...failureFacts(result.cause) }, keptText(primary, result, isOwn))
        return
      }
      isOwn = true
      log.info({ ...result }, 'catalog refreshed')
      const unpriced = unpricedTexts(config, result)
      if (unpriced.join() !== toldUnpriced) for (const text of unpriced) log.warn(text)
      toldUnpriced = unpriced.join()
    },
  }
}

/** Leaves out the media that the sandbox has no packages for, and says what the others read: the snapshot does not. */
function makeable(
  list: CatalogList,
  {
    findAbilities,
    findRecogniser,
    sandboxParameters,
  }: Pick<SandboxPackage, 'findAbilities' | 'findRecogniser' | 'sandboxParameters'>,
  { searchPath }: Config,
): CatalogList {
  const abilities: ReadonlySet<string> = findAbilities({ hasRecogniser: findRecogniser(searchPath) !== null })
  const isMadeHere = ({ type }: CatalogRow): boolean => isSoldByTokens(type) || abilities.has(type)
  const withParameters = (row: CatalogRow): CatalogRow =>
    row.type === 'text' ? { ...row, supportedParameters: sandboxParameters } : row
  return { ...list, rows: list.rows.filter(isMadeHere).map(withParameters) }
}

type Kept = Extract<RefreshResult, { kind: 'kept' }>
type Refreshed = Extract<RefreshResult, { kind: 'refreshed' }>

const NAMED_MODELS = 3
const VERSION_PART = /^v\d/

/** The upstream's name, and its address without credentials where one is configured. */
function placeOf({ name, kind, url }: UpstreamConfig): string {
  if (url === null) return `${name} (${kind})`
  const address = new URL(url)
  address.username = ''
  address.password = ''
  // Its parameters may hold a token.
  address.search = ''
  address.hash = ''
  return `${name} (${trimEndOf(address.href, '/')})`
}

/** Whether an address ends in a part that names a version. */
function hasVersion(url: string): boolean {
  return VERSION_PART.test(trimEndOf(new URL(url).pathname, '/').split('/').at(-1) ?? '')
}

function keptText(primary: UpstreamConfig, { reason }: Kept, isOwn: boolean): string {
  const place = placeOf(primary)
  const state = isOwn ? 'catalog kept' : 'no list yet'
  if (reason === 'unreachable') return `${state}: the upstream ${place} did not answer`
  if (reason === 'empty') return `${state}: the upstream ${place} listed no model`
  const isVersioned = primary.url === null || hasVersion(primary.url)
  const question = isVersioned ? '' : ' Is its version part missing, such as /v1 at the end?'
  return `${state}: what the upstream ${place} answered to GET /models is not a list.${question}`
}

/** What the log says about a failure. An error's own sentence is for clients, and its stack says nothing here. */
function failureFacts(cause: unknown): Readonly<Record<string, unknown>> {
  if (cause === null) return {}
  if (!(cause instanceof ServiceError)) return { failure: cause instanceof Error ? cause.message : 'unknown' }
  const { failure, upstreamStatus, upstreamCodes } = cause.internal
  return { failure, upstreamStatus, upstreamCodes }
}

/** One sentence for each kind of price that is missing; empty when everything in the list can be sold. */
function unpricedTexts({ upstreams: [primary], defaultPrice }: Config, { unpriced }: Refreshed): readonly string[] {
  // The default price is for upstreams whose lists usually have none.
  const takesDefault = !listsPrices(primary.kind) && defaultPrice === null
  return [
    unpricedText(primary, unpriced.byTokens, '', takesDefault ? 'set SVC_DEFAULT_PRICE, or prices' : 'set prices'),
    unpricedText(primary, unpriced.media, 'media ', 'SVC_DEFAULT_PRICE is not for media, so set media_prices'),
  ].filter((text) => text !== null)
}

function unpricedText(primary: UpstreamConfig, { count, first }: ChangedIds, kind: string, way: string): string | null {
  if (count === 0) return null
  const named = first.slice(0, NAMED_MODELS).join(', ') + (count > NAMED_MODELS ? ', …' : '')
  const [models, are, have] = count === 1 ? ['model', 'is', 'has'] : ['models', 'are', 'have']
  const lack = `${count} ${kind}${models} of ${placeOf(primary)} ${have} no price and ${are} not sold`
  return `${lack} (${named}): ${way} in svc.config.json.`
}
