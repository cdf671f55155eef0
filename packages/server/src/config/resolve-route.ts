import type { RouteConfig, RouteTargetConfig, UpstreamConfig } from './config.ts'
import { CONFIG_FILE, type RouteEntry, type TargetEntry } from './config-file.ts'

/** The targets as they are written: several in `targets`, or the one that the route itself names. */
function targetsOf(entry: RouteEntry): readonly TargetEntry[] | null {
  const { upstream, model, price, mediaPrice, billsOnCancel, targets } = entry
  if (targets === undefined)
    return upstream === undefined ? null : [{ upstream, model, price, mediaPrice, billsOnCancel, weight: null }]
  const isMixed = upstream !== undefined || model !== null || price !== null
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
  const weighted = entries.filter((target) => target.weight !== null).length
  if (weighted !== 0 && weighted !== entries.length) {
    problems.push(`${CONFIG_FILE}, ${path}.targets: give every target a weight, or none.`)
  }
  if (!entry.fallback && weighted === 0 && entries.length > 1) {
    problems.push(`${CONFIG_FILE}, ${path}: without weights and without fallback only the first target is ever used.`)
  }
  const mediaTypes = new Set([entry, ...entries].flatMap(({ mediaPrice }) => mediaPrice?.type ?? []))
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
    // What the route says of media holds for each target that says nothing of its own.
    return { ...target, mediaPrice: target.mediaPrice ?? entry.mediaPrice, weight: target.weight ?? 1 }
  })
  const [first, ...others] = targets
  if (first === undefined) return null
  return { ...first, others, isWeighted: weighted > 0, fallback: entry.fallback }
}
