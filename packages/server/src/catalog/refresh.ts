/**
 * Keeps the catalog as new as the upstream's own list. A bad or empty list never replaces a good one.
 */
import { isSoldByTokens } from '@svc/contract'
import type { Clock } from '../platform/runtime/clock.ts'
import type { BuiltCatalog } from './build-catalog.ts'
import type { Catalog, LiveCatalog } from './catalog.ts'
import type { CatalogList, CatalogRow } from './catalog-row.ts'
import type { LastGoodCopy } from './last-good-copy.ts'
import { parseLiveList, type SkippedRow } from './live-list.ts'

export interface RefreshDeps {
  readonly catalog: LiveCatalog
  readonly build: (list: CatalogList) => BuiltCatalog
  /** Asks the upstream for its list: parsed JSON, untrusted. Rejects when it cannot be had. */
  readonly fetchList: () => Promise<unknown>
  readonly lastGood: LastGoodCopy
  readonly clock: Clock
}

export type RefreshResult =
  | {
      readonly kind: 'refreshed'
      readonly featured: number
      readonly models: number
      /** Ids, at most ten of each; the counts are whole. */
      readonly added: ChangedIds
      readonly removed: ChangedIds
      readonly repriced: ChangedIds
      /** Models of the list that are not sold under their own id, since nothing says what they cost. */
      readonly unpriced: Readonly<Record<'byTokens' | 'media', ChangedIds>>
      readonly skipped: { readonly count: number; readonly first: readonly SkippedRow[] }
      readonly refusedAliases: readonly string[]
      /** Whether the copy for the next start was written; the new catalog is served either way. */
      readonly isKeptForNextStart: boolean
    }
  | { readonly kind: 'kept'; readonly reason: 'unreachable' | 'not a list' | 'empty'; readonly cause: unknown }

/** Ids of the list or of the catalog: how many, and the first few. */
export interface ChangedIds {
  readonly count: number
  readonly first: readonly string[]
}

const NAMED_IDS_MAX = 10

/**
 * Fetches the list, builds a new catalog, swaps it in at once, and keeps a copy of the list for the next start.
 *
 * @returns what changed, or why the present catalog was kept. Never rejects because of the upstream or the disk.
 */
export async function refreshCatalog(deps: RefreshDeps): Promise<RefreshResult> {
  let list: unknown
  try {
    list = await deps.fetchList()
  } catch (cause) {
    return { kind: 'kept', reason: 'unreachable', cause }
  }
  const parsed = parseLiveList(list)
  if (parsed === null) return { kind: 'kept', reason: 'not a list', cause: null }
  if (parsed.rows.length === 0) return { kind: 'kept', reason: 'empty', cause: null }
  const fetchedAt = deps.clock.now()
  const built = deps.build({ rows: parsed.rows, source: 'live', updatedAt: fetchedAt })
  const before = deps.catalog.current()
  deps.catalog.replace(built.catalog)
  const isKeptForNextStart = await deps.lastGood.write(parsed.source, fetchedAt).then(
    () => true,
    () => false,
  )
  return {
    kind: 'refreshed',
    ...built.catalog.counts,
    ...changesBetween(before, built.catalog),
    unpriced: unpricedOf(parsed.rows, built.catalog),
    skipped: { count: parsed.skipped.length, first: parsed.skipped.slice(0, NAMED_IDS_MAX) },
    refusedAliases: built.refusedAliases,
    isKeptForNextStart,
  }
}

function changesBetween(
  before: Catalog,
  after: Catalog,
): { readonly added: ChangedIds; readonly removed: ChangedIds; readonly repriced: ChangedIds } {
  const old = new Map(before.list().map((model) => [model.id, priceText([model.price, model.media?.prices])]))
  const now = new Map(after.list().map((model) => [model.id, priceText([model.price, model.media?.prices])]))
  const kept = [...now].filter(([id]) => old.has(id))
  return {
    added: changed([...now.keys()].filter((id) => !old.has(id))),
    removed: changed([...old.keys()].filter((id) => !now.has(id))),
    repriced: changed(kept.filter(([id, price]) => old.get(id) !== price).map(([id]) => id)),
  }
}

/** Apart by how they are sold: their prices are set in different places. */
function unpricedOf(
  rows: readonly CatalogRow[],
  catalog: Catalog,
): Extract<RefreshResult, { unpriced: object }>['unpriced'] {
  const unsold = rows.filter(({ id }) => catalog.find(id) === null)
  const idsOf = (isByTokens: boolean): string[] =>
    unsold.filter(({ type }) => isSoldByTokens(type) === isByTokens).map(({ id }) => id)
  return { byTokens: changed(idsOf(true)), media: changed(idsOf(false)) }
}

function changed(ids: readonly string[]): ChangedIds {
  return { count: ids.length, first: ids.slice(0, NAMED_IDS_MAX) }
}

/** A text that is equal for equal prices. Absent and null kinds are the same price, and the source does not matter. */
function priceText(price: unknown): string {
  return JSON.stringify(price, (key, value: unknown) => {
    if (key === 'source' || value === null) return undefined
    return typeof value === 'bigint' ? value.toString() : value
  })
}
