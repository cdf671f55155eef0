import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { FoundModel, PlayedModel } from '@svc/sandbox'
import type { Catalog } from '../catalog/catalog.ts'
import { type Model, offeringsOf } from '../catalog/model.ts'
import type { ScriptedModel } from '../catalog/build-catalog.ts'
import type { ListedMedia } from '../catalog/media-offer.ts'
import { sandboxCost } from '../catalog/sandbox-cost.ts'
import type { Config } from '../config/config.ts'
import { loadSandbox } from './load-sandbox.ts'
import type { SandboxAddress } from './open-upstreams.ts'
import { attoUsdOf } from '../pricing/usd.ts'
import type { Clock } from '../platform/runtime/clock.ts'

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

/** A scripted model for the catalog: the sandbox's own prices are whole numbers of 10⁻¹⁸ USD, and so are ours. */
export function scriptedModelOf({ prices, media, ...rest }: FoundModel): ScriptedModel {
  const none = { cachedInput: null, cacheWrite: null, tiers: [] }
  return {
    ...rest,
    prices: prices && {
      input: attoUsdOf(prices.input),
      output: attoUsdOf(prices.output),
      request: prices.request === null ? null : attoUsdOf(prices.request),
      ...none,
    },
    // Of the same form; only the brand of the amounts is missing.
    ...(media === undefined ? {} : { media: media as ListedMedia }),
  }
}

/** Starts the sandbox when the configuration names it. Loaded only then. */
export async function openSandbox(config: Config, catalog: Catalog, clock: Clock): Promise<OpenSandbox | null> {
  if (!config.upstreams.some((upstream) => upstream.kind === 'sandbox')) return null
  const { findRecogniser, isScripted, startSandbox } = await loadSandbox()
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
