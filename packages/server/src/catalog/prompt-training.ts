/** Whether the providers of a model may train on what is sent to it, as far as the operator has said so. */
import type { PromptTraining } from '@svc/contract'
import type { CatalogConfig } from './catalog-config.ts'

/** One place where a model's requests can go. */
export interface ServedPlace {
  /** Name of a configured upstream. */
  readonly upstream: string
  /** The id that the upstream knows. */
  readonly upstreamModel: string
}

type Stated = Pick<CatalogConfig, 'upstreams' | 'promptTraining'>

/**
 * The strictest of what is said of each place: one that may train decides, and one of which nothing is said
 * leaves it open. Source: decision 0082 (what providers do with prompts).
 *
 * @returns null where it is not said.
 */
export function promptTrainingOf(config: Stated, places: readonly ServedPlace[]): PromptTraining | null {
  const said = places.map((place) => statedOf(config, place))
  if (said.includes('may')) return 'may'
  return said.length > 0 && said.every((one) => one === 'never') ? 'never' : null
}

/** What is said of an upstream holds for all that it serves; of models, the entry that names most of the id decides. */
function statedOf(config: Stated, { upstream, upstreamModel }: ServedPlace): PromptTraining | null {
  const own = config.upstreams.find(({ name }) => name === upstream)?.promptTraining ?? null
  if (own !== null) return own
  let best: { readonly length: number; readonly stated: PromptTraining } | null = null
  for (const [id, stated] of config.promptTraining ?? []) {
    if (id === upstreamModel) return stated
    const start = id.endsWith('*') ? id.slice(0, -1) : null
    if (start === null || !upstreamModel.startsWith(start)) continue
    if (best === null || start.length > best.length) best = { length: start.length, stated }
  }
  return best?.stated ?? null
}
