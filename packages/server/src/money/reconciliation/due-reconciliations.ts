/** Reconciliations that no person asks for: the last day of each upstream that tells its figures, and how they fared. */
import { dayBefore } from './day-span.ts'
import { reconcile, type ReconciliationDeps } from './reconciliation-runs.ts'
import { createReconciliationStore } from './reconciliation-store.ts'
import type { ReconciliationRun, ReconciliationStore } from './reconciliation.ts'

/** What is known of the last reconciliations with an upstream at a glance. */
export interface ReconciliationGlance {
  readonly upstream: string
  /** When the last that reached a verdict ended, and what it found; null where none is kept. */
  readonly last: { readonly endedAt: number; readonly differences: number } | null
  /** Whether the newest that has ended came to no verdict. */
  readonly isUnfinished: boolean
}

const LOOKED_AT = 20

/** Looks at the last reconciliations with each upstream that tells its figures. */
export async function glanceAtReconciliations({
  database,
  figures,
}: Pick<ReconciliationDeps, 'database' | 'figures'>): Promise<readonly ReconciliationGlance[]> {
  const store = createReconciliationStore(database)
  return await Promise.all([...figures.keys()].map((upstream) => glanceAt(store, upstream)))
}

async function glanceAt(store: ReconciliationStore, upstream: string): Promise<ReconciliationGlance> {
  const ended = (await store.list(LOOKED_AT, { upstream })).filter(({ endedAt }) => endedAt !== null)
  const done = ended.find(({ differences }) => differences !== null)
  const last = done === undefined ? null : { endedAt: done.endedAt ?? 0, differences: done.differences ?? 0 }
  return { upstream, last, isUnfinished: ended.length > 0 && ended[0]?.differences === null }
}

/** Who has begun a reconciliation that no person asked for. */
export const SCHEDULE = 'schedule'
/** How often a day is tried that came to no verdict, before the next day comes. Source: own choice. */
const TRIES_MAX = 3

/**
 * Reconciles the last day that has ended, with each upstream that tells its figures, unless that was done.
 *
 * @param afterMs how long a day must be over: an upstream's own sums come late.
 * @param onError called for each that came to no verdict.
 */
export async function reconcileDue(
  deps: ReconciliationDeps,
  afterMs: number,
  onError: (upstream: string, error: unknown) => void,
): Promise<void> {
  const store = createReconciliationStore(deps.database)
  const day = dayBefore(deps.clock.now() - afterMs)
  for (const upstream of deps.figures.keys()) {
    const before = await store.list(LOOKED_AT, { upstream, day })
    if (!isDue(before)) continue
    try {
      await reconcile(deps, { upstream, day, by: SCHEDULE, lines: null })
    } catch (error) {
      onError(upstream, error)
    }
  }
}

function isDue(before: readonly ReconciliationRun[]): boolean {
  return (
    before.every(({ endedAt, differences }) => endedAt !== null && differences === null) && before.length < TRIES_MAX
  )
}
