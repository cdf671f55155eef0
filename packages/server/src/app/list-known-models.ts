/** Which models a key may be limited to, found without asking an upstream: for commands that only warn. */
import type { CatalogList } from '../catalog/catalog-row.ts'
import { loadFeatured } from '../catalog/featured.ts'
import { createLastGoodCopy } from '../catalog/last-good-copy.ts'
import { loadSnapshot } from '../catalog/snapshot.ts'
import type { OperatorConfig } from '../config/load-operator-config.ts'
import { findSandbox } from './load-sandbox.ts'

/** What the configuration says about models; absent parts say nothing. */
export type KnownModelsConfig = Pick<OperatorConfig, 'dataDir'> &
  Partial<Pick<OperatorConfig, 'upstreams' | 'routes' | 'prices' | 'mediaPrices' | 'catalogPrefix'>>

/** Lists the aliases, the bundled models, those of the last good list, and all that the configuration names. */
export async function listKnownModels(config: KnownModelsConfig): Promise<readonly string[]> {
  const rows = [...loadSnapshot().rows, ...((await lastGoodList(config))?.rows ?? [])].map((row) => row.id)
  const configured = [
    ...(config.routes?.keys() ?? []),
    ...(config.prices?.keys() ?? []),
    ...(config.mediaPrices?.keys() ?? []),
  ]
  const prefix = config.catalogPrefix ?? 'openrouter/'
  const aliases = loadFeatured('per_1m').map(({ alias }) => alias)
  const scripted = await scriptedModels()
  const listed = [...rows, ...configured]
  return [...new Set([...aliases, ...listed, ...listed.map((id) => prefix + id), ...scripted])]
}

/** Those of the sandbox; none where it is not installed. */
async function scriptedModels(): Promise<readonly string[]> {
  const sandbox = await findSandbox()
  if (sandbox === null) return []
  const { sandboxEmbeddingModels, sandboxMediaModels, sandboxModels } = sandbox
  const { sandboxModerationModels, sandboxRerankModels } = sandbox
  return [
    ...[...sandboxModels, ...sandboxMediaModels].map(({ id }) => id),
    ...sandboxEmbeddingModels,
    ...sandboxRerankModels,
    ...sandboxModerationModels,
  ]
}

async function lastGoodList({ upstreams, dataDir }: KnownModelsConfig): Promise<CatalogList | null> {
  const primary = upstreams?.[0]
  if (primary === undefined) return null
  return createLastGoodCopy({ dataDir, upstream: primary.name, origin: primary.url ?? primary.kind }).read()
}
