import { buildCatalog, type BuiltCatalog, type CatalogSources } from './build-catalog.ts'
import { createLiveCatalog, type LiveCatalog } from './catalog.ts'
import type { CatalogConfig } from './catalog-config.ts'
import type { CatalogList } from './catalog-row.ts'
import { loadFeatured } from './featured.ts'
import type { LastGoodCopy } from './last-good-copy.ts'
import { loadSnapshot } from './snapshot.ts'

export interface OpenedCatalog {
  readonly catalog: LiveCatalog
  /** Makes the catalog anew from a fresh list; `refreshCatalog` takes it. */
  readonly build: (list: CatalogList) => BuiltCatalog
  readonly refusedAliases: readonly string[]
  /** Whether the upstream's own list was found; if not, a refresh should come before the first request. */
  readonly hasOwnList: boolean
}

/**
 * Makes the catalog that the gateway starts with: from the last good copy of the upstream's list, else from what is bundled.
 *
 * @param deps.lastGood null for the sandbox, whose list is the bundled one.
 * @throws {InvariantError} when a bundled file is damaged.
 */
export async function openCatalog(
  deps: { readonly lastGood: LastGoodCopy | null; readonly findScripted: CatalogSources['findScripted'] },
  config: CatalogConfig,
): Promise<OpenedCatalog> {
  const { findScripted } = deps
  const sources: CatalogSources = { featured: loadFeatured(config.cardUnit), snapshot: loadSnapshot(), findScripted }
  const list = deps.lastGood === null ? null : await deps.lastGood.read()
  const built = buildCatalog(sources, config, list)
  return {
    catalog: createLiveCatalog(built.catalog),
    build: (fresh) => buildCatalog(sources, config, fresh),
    refusedAliases: built.refusedAliases,
    hasOwnList: list !== null || config.upstreams[0].kind === 'sandbox',
  }
}
