import type { PriceConfig, RouteConfig, RouteTargetConfig, UpstreamConfig } from './config.ts'
import { CONFIG_FILE, type PriceEntry, type RouteEntry } from './config-file.ts'
import type { MediaPriceEntry } from './media-price-entry.ts'

interface TargetEntry {
  readonly upstream: string
  readonly model?: string | undefined
  readonly price?: PriceEntry | undefined
  readonly media_price?: MediaPriceEntry | undefined
  readonly weight?: number | undefined
}

/** The targets as they are written: several in `targets`, or the one that the route itself names. */
function targetsOf(entry: RouteEntry): readonly TargetEntry[] | null {
  const { upstream, model, price, targets } = entry
  if (targets === undefined) return upstream === undefined ? null : [{ upstream, model, price }]
  const isMixed = upstream !== undefined || model !== undefined || price !== undefined
  return isMixed ? null : targets
}

/**
 * Reads one route of the file.
 *
 * @returns null when it is wrong; `problems` then says why.
 */
export function resolveRoute(
  entry: RouteEntry,
  path: string,
  upstreams: readonly UpstreamConfig[],
  problems: string[],
): RouteConfig | null {
  if (entry.targets === undefined && entry.upstream === undefined) {
    problems.push(`${CONFIG_FILE}, ${path}.upstream: this is missing: name the upstream, or give several in targets.`)
    return null
  }
  const entries = targetsOf(entry)
  if (entries === null) {
    problems.push(`${CONFIG_FILE}, ${path}: give either upstream (with model and price) or targets, not both.`)
    return null
  }
  const weighted = entries.filter((target) => target.weight !== undefined).length
  if (weighted !== 0 && weighted !== entries.length) {
    problems.push(`${CONFIG_FILE}, ${path}.targets: give every target a weight, or none.`)
  }
  if (entry.fallback === false && weighted === 0 && entries.length > 1) {
    problems.push(`${CONFIG_FILE}, ${path}: without weights and without fallback only the first target is ever used.`)
  }
  const mediaTypes = new Set([entry, ...entries].flatMap(({ media_price: price }) => price?.type ?? []))
  if (mediaTypes.size > 1) {
    problems.push(`${CONFIG_FILE}, ${path}: one model does one thing: give every media_price the same type.`)
  }
  const targets = entries.map((target, index): RouteTargetConfig => {
    const where = entry.targets === undefined ? path : `${path}.targets.${index}`
    if (!upstreams.some((upstream) => upstream.name === target.upstream)) {
      problems.push(
        `${CONFIG_FILE}, ${where}: there is no upstream named "${target.upstream}". ` +
          `Known are ${upstreams.map((upstream) => upstream.name).join(', ')}.`,
      )
    }
    const price = target.price === undefined ? null : priceOf(target.price, `${where}.price`, problems)
    const { upstream, model = null, weight = 1 } = target
    // What the route says of media holds for each target that says nothing of its own.
    return { upstream, model, price, mediaPrice: target.media_price ?? entry.media_price ?? null, weight }
  })
  const [first, ...others] = targets
  if (first === undefined) return null
  return { ...first, others, isWeighted: weighted > 0, fallback: entry.fallback ?? true }
}

/** Checks a price as it is written. */
export function priceOf(entry: PriceEntry, path: string, problems: string[]): PriceConfig {
  const bounds = (entry.tiers ?? []).map((tier) => tier.above_input_tokens)
  if (bounds.some((bound, index) => index > 0 && bound <= (bounds[index - 1] ?? 0))) {
    problems.push(`${CONFIG_FILE}, ${path}.tiers: put the tiers in rising order of above_input_tokens.`)
  }
  return entry
}
