/**
 * Opens the catalog: from the last good copy or the bundled snapshot at once, from the upstream's own list as soon as
 * it answers.
 */
import { type BuiltCatalog, buildCatalog } from './catalog/build-catalog.ts'
import { catalogConfigFrom } from './catalog/catalog-config.ts'
import { createLiveCatalog, type LiveCatalog } from './catalog/catalog.ts'
import type { CatalogList } from './catalog/catalog-row.ts'
import { loadFeatured } from './catalog/featured.ts'
import { createLastGoodCopy } from './catalog/last-good-copy.ts'
import { describeUnderpricedAliases, findUnderpricedAliases } from './catalog/price-check.ts'
import { refreshCatalog } from './catalog/refresh.ts'
import { loadSnapshot } from './catalog/snapshot.ts'
import type { Config } from './config/config.ts'
import type { Clock } from './runtime/clock.ts'
import type { Logger } from './runtime/log.ts'
import { findSandboxModel } from './sandbox/sandbox-model.ts'

export interface OpenCatalog {
  /** Whether the prices are the upstream's own: from its list, or from the last good copy of it. */
  readonly isOwn: () => boolean
  readonly catalog: LiveCatalog
  /** Asks the upstream for its list and swaps it in; what came of it goes to the log. */
  refresh(fetchList: () => Promise<unknown>): Promise<void>
}

/** Opens the catalog and says what the operator has to know about its prices. */
export async function openCatalog(config: Config, clock: Clock, log: Logger): Promise<OpenCatalog> {
  const settings = catalogConfigFrom(config)
  const sources = {
    featured: loadFeatured(config.rateCardUnit),
    snapshot: loadSnapshot(),
    findScripted: findSandboxModel,
  }
  const build = (list: CatalogList | null): BuiltCatalog => buildCatalog(sources, settings, list)
  const [primary] = config.upstreams
  const lastGood = createLastGoodCopy({
    dataDir: config.dataDir,
    upstream: primary.name,
    origin: primary.url ?? primary.kind,
  })
  const copy = primary.kind === 'sandbox' ? null : await lastGood.read()
  const built = build(copy)
  let isOwn = primary.kind === 'sandbox' || copy !== null
  const catalog = createLiveCatalog(built.catalog)
  for (const alias of built.refusedAliases) {
    log.warn({ alias }, 'This alias is not served: its upstream neither reports a cost nor has a configured price.')
  }
  const underpriced = describeUnderpricedAliases(findUnderpricedAliases(catalog))
  if (underpriced !== null) log.warn(underpriced)
  return {
    catalog,
    isOwn: () => isOwn,
    refresh: async (fetchList) => {
      const result = await refreshCatalog({ catalog, build, fetchList, lastGood, clock })
      isOwn ||= result.kind === 'refreshed'
      if (result.kind === 'refreshed') log.info({ ...result }, 'catalog refreshed')
      else log.warn({ reason: result.reason, err: result.cause }, 'catalog kept: the upstream gave no list')
    },
  }
}
