import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Catalog } from './catalog/catalog.ts'
import { type Model, offeringsOf } from './catalog/model.ts'
import { sandboxCost } from './catalog/sandbox-cost.ts'
import type { Config } from './config/config.ts'
import type { SandboxAddress } from './open-upstreams.ts'
import type { Clock } from './runtime/clock.ts'
import type { PlayedModel } from './sandbox/model-list.ts'

export interface OpenSandbox extends SandboxAddress {
  close(): Promise<void>
}

/** A model as each of its places knows it: the sandbox may be any of them. */
function playedModels(model: Model): readonly PlayedModel[] {
  const { contextLength, maxOutputTokens } = model
  return offeringsOf(model).map(({ upstreamModel: id, media }) => {
    return { id, contextLength, maxOutputTokens, ...(media === null ? {} : { media: media.prices }) }
  })
}

/** Starts the built-in upstream when the configuration names it. Loaded only then. */
export async function openSandbox(config: Config, catalog: Catalog, clock: Clock): Promise<OpenSandbox | null> {
  if (!config.upstreams.some((upstream) => upstream.kind === 'sandbox')) return null
  const { startSandbox } = await import('./sandbox/sandbox-server.ts')
  const { isScripted } = await import('./sandbox/sandbox-prefix.ts')
  const { findRecogniser } = await import('./sandbox/find-recogniser.ts')
  const key = randomBytes(24).toString('hex')
  // The sandbox takes an unchanged array for an unchanged list, and need not look at its hundreds of models for each
  // request.
  let listed: readonly Model[] = []
  let played: readonly PlayedModel[] = []
  const sandbox = await startSandbox({
    key,
    clock,
    cacheFolder: join(config.dataDir, 'sandbox'),
    recogniser: findRecogniser(config.searchPath),
    models: () => {
      const current = catalog.list()
      if (current !== listed) {
        listed = current
        played = current.flatMap(playedModels)
      }
      return played
    },
    costOf: (model, usage) => sandboxCost(catalog, model, usage),
  })
  return { url: sandbox.url, key, abilities: sandbox.abilities, isScripted, close: () => sandbox.close() }
}
