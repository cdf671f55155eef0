/** Comparisons with upstreams: one at a time for each, over all processes; what they found is kept. */
import type { Database } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { createId } from '../../platform/runtime/ids.ts'
import { FiguresUnavailableError, type UpstreamFigures } from '../../upstreams/upstream-figures.ts'
import { readBilledRequests } from '../billing/read-billed-requests.ts'
import { compareActivity } from './compare-activity.ts'
import { compareInvoice } from './compare-invoice.ts'
import { type DaySpan, dayBefore, parseDay } from './day-span.ts'
import type { InvoiceLine } from './invoice.ts'
import { CsvError } from './read-csv.ts'
import { countDifferences, type ReconciliationReport } from './report.ts'
import { createReconciliationStore } from './reconciliation-store.ts'
import type { ReconciliationRun, ReconciliationStore } from './reconciliation.ts'

/** A run takes so long at most, in milliseconds: another process gives it up then. Source: own choice. */
const LEASE_MS = 3_600_000

export interface ReconciliationDeps {
  readonly database: Database
  readonly clock: Clock
  /** By upstream; those that tell no figures are missing. */
  readonly figures: ReadonlyMap<string, UpstreamFigures>
}

export interface ReconciliationWish {
  readonly upstream: string
  /** UTC, such as `2026-03-31`. */
  readonly day: string
  readonly by: string
  /** Reads the invoice from the beginning, each time that it is called; null asks the upstream. */
  readonly lines: (() => AsyncIterable<InvoiceLine>) | null
}

/** A comparison that cannot be made: the message says why, for an operator. */
export class ReconciliationError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'ReconciliationError'
  }
}

/** A run with what it has found. */
export interface EndedReconciliation {
  readonly runId: string
  readonly report: ReconciliationReport
}

/**
 * Compares a day.
 *
 * @throws {ReconciliationError} while another comparison of the upstream runs, for an invoice that cannot be read, and
 *   for an upstream that does not tell its figures.
 */
export async function reconcile(deps: ReconciliationDeps, wish: ReconciliationWish): Promise<EndedReconciliation> {
  const { database, clock } = deps
  const span = parseDay(wish.day)
  if (span === null) throw new ReconciliationError('Give a day such as 2026-03-31.')
  if (span.end > clock.now()) throw new ReconciliationError('The day must be over: days are those of UTC.')
  const store = createReconciliationStore(database)
  const startedAt = clock.now()
  const runId = createId(startedAt)
  const { upstream, day, by: startedBy } = wish
  const begun = { runId, upstream, day, startedAt, startedBy, leaseUntil: startedAt + LEASE_MS }
  if (!(await store.begin(begun))) {
    throw new ReconciliationError(`Another comparison with the upstream ${upstream} runs. Try again once it has ended.`)
  }
  try {
    const report = await compare(deps, wish, span)
    await store.end(runId, { report, differences: countDifferences(report) }, clock.now())
    return { runId, report }
  } catch (error) {
    const problem = problemOf(error)
    await store.end(runId, { failure: problem ?? 'It did not come to an end. The log says why.' }, clock.now())
    throw problem === null ? error : new ReconciliationError(problem, error)
  }
}

async function compare(
  { database, figures }: ReconciliationDeps,
  { upstream, day, lines }: ReconciliationWish,
  span: DaySpan,
): Promise<ReconciliationReport> {
  const records = () => readBilledRequests(database, upstream, span)
  if (lines !== null) {
    return { upstream, day, source: 'file', ...(await compareInvoice(span, { records, lines })) }
  }
  const own = figures.get(upstream)
  if (own === undefined) throw new ReconciliationError(`The upstream ${upstream} tells no figures: give its invoice.`)
  return { upstream, day, source: 'activity', ...(await compareActivity(span, { records, figures: own })) }
}

/** Null for what is no mistake of the invoice, nor of the upstream. */
function problemOf(error: unknown): string | null {
  const isKnown =
    error instanceof CsvError || error instanceof FiguresUnavailableError || error instanceof ReconciliationError
  return isKnown ? error.message : null
}

/** What is known of the last comparisons of an upstream at a glance. */
export interface ReconciliationGlance {
  readonly upstream: string
  /** When the last that reached a verdict ended, and what it found; null where none is kept. */
  readonly last: { readonly endedAt: number; readonly differences: number } | null
  /** Whether the newest that has ended came to no verdict. */
  readonly isUnfinished: boolean
}

const LOOKED_AT = 20

/** Looks at the last comparisons of each upstream that tells its figures. */
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

/** Who has begun a comparison that no person asked for. */
export const SCHEDULE = 'schedule'
/** How often a day is tried that came to no verdict, before the next day comes. Source: own choice. */
const TRIES_MAX = 3

/**
 * Compares the last day that has ended, with each upstream that tells its figures, unless that was done.
 *
 * @param afterMs how long a day must be over: an upstream's own sums come late.
 * @param onError is told of each that came to no verdict.
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
