/** Reconciliations with upstreams: one at a time for each, over all processes; what they found is kept. */
import type { Database } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { createId } from '../../platform/runtime/ids.ts'
import { FiguresUnavailableError, type UpstreamFigures } from '../../upstreams/upstream-figures.ts'
import { ArchiveFileError } from '../archive/archive-file.ts'
import { compareActivity } from './compare-activity.ts'
import { compareInvoice } from './compare-invoice.ts'
import { type DaySpan, parseDay } from './day-span.ts'
import type { InvoiceLine } from './invoice.ts'
import { CsvError } from './read-csv.ts'
import { isArchived, readDay } from './read-day.ts'
import { countDifferences, type ReconciliationReport } from './report.ts'
import { createReconciliationStore } from './reconciliation-store.ts'

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
  /** The folder of the archive; null where it is not here. */
  readonly archive?: string | null
}

/** A reconciliation that cannot be made: the message says why, for an operator. */
export class ReconciliationError extends Error {
  /** What of the wish is wrong; null for what is no fault of it. */
  readonly part: keyof ReconciliationWish | null

  constructor(
    message: string,
    { part = null, cause }: { readonly part?: keyof ReconciliationWish | null; readonly cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.name = 'ReconciliationError'
    this.part = part
  }
}

/** Another reconciliation of the upstream runs, here or in another process. */
export class ReconciliationRunsError extends ReconciliationError {
  constructor(upstream: string) {
    super(`Another reconciliation with the upstream ${upstream} runs. Try again once it has ended.`)
    this.name = 'ReconciliationRunsError'
  }
}

/** A run with what it has found. */
export interface EndedReconciliation {
  readonly runId: string
  readonly report: ReconciliationReport
}

/** A run that was begun. */
export interface BegunReconciliation {
  readonly runId: string
  /** @throws {ReconciliationError} for an invoice that cannot be read, and where the upstream tells nothing. */
  readonly ended: Promise<EndedReconciliation>
}

/**
 * Reconciles a day.
 *
 * @throws {ReconciliationError} as `beginReconciliation` and its end.
 */
export async function reconcile(deps: ReconciliationDeps, wish: ReconciliationWish): Promise<EndedReconciliation> {
  const { ended } = await beginReconciliation(deps, wish, new AbortController().signal)
  return await ended
}

/**
 * Begins to reconcile a day.
 *
 * @param signal ends it without a verdict.
 * @throws {ReconciliationError} for a day that is not over or is archived elsewhere, and for an upstream that tells no
 *   figures. @throws {ReconciliationRunsError} while another of the upstream runs.
 */
export async function beginReconciliation(
  deps: ReconciliationDeps,
  wish: ReconciliationWish,
  signal: AbortSignal,
): Promise<BegunReconciliation> {
  const { database, clock, figures } = deps
  const { upstream, day, by: startedBy, archive = null } = wish
  const span = parseDay(day)
  if (span === null) throw new ReconciliationError('Give a day such as 2026-03-31.', { part: 'day' })
  if (span.end > clock.now()) {
    throw new ReconciliationError('The day must be over: days are those of UTC.', { part: 'day' })
  }
  const billed = wish.lines ?? figures.get(upstream)
  if (billed === undefined) {
    throw new ReconciliationError(`The upstream ${upstream} tells no figures: give its invoice, a CSV file (--file).`, {
      part: 'lines',
    })
  }
  if (archive === null && (await isArchived(database, span))) {
    const text = `Records of ${day}, or of the day before it, are archived: run the command with --archive FOLDER.`
    throw new ReconciliationError(text, { part: 'archive' })
  }
  const store = createReconciliationStore(database)
  const startedAt = clock.now()
  const runId = createId(startedAt)
  const begun = { runId, upstream, day, startedAt, startedBy, leaseUntil: startedAt + LEASE_MS }
  if (!(await store.begin(begun))) throw new ReconciliationRunsError(upstream)
  return { runId, ended: run({ database, clock, signal }, { wish, billed, span, runId }) }
}

interface RunDeps extends Pick<ReconciliationDeps, 'database' | 'clock'> {
  readonly signal: AbortSignal
}

interface Run {
  readonly wish: ReconciliationWish
  /** The lines of an invoice, or what the upstream says itself. */
  readonly billed: (() => AsyncIterable<InvoiceLine>) | UpstreamFigures
  readonly span: DaySpan
  readonly runId: string
}

async function run(deps: RunDeps, asked: Run): Promise<EndedReconciliation> {
  const { database, clock, signal } = deps
  const { runId } = asked
  const store = createReconciliationStore(database)
  try {
    const report = await compare(deps, asked)
    await store.end(runId, { report, differences: countDifferences(report) }, clock.now())
    return { runId, report }
  } catch (error) {
    const problem = problemOf(error)
    const failure = problem ?? (signal.aborted ? 'The gateway was stopped.' : UNKNOWN)
    await store.end(runId, { failure }, clock.now())
    throw problem === null ? error : new ReconciliationError(problem, { cause: error })
  }
}

const UNKNOWN = 'It did not come to an end. The log says why.'

async function compare(
  { database, signal }: RunDeps,
  { wish: { upstream, day, archive = null }, billed, span }: Run,
): Promise<ReconciliationReport> {
  const records = () => until(signal, readDay(database, { upstream, span, archive }))
  if (typeof billed === 'function') {
    const lines = () => until(signal, billed())
    return { upstream, day, source: 'file', ...(await compareInvoice(span, { records, lines })) }
  }
  return { upstream, day, source: 'activity', ...(await compareActivity(span, { records, figures: billed })) }
}

async function* until<Item>(signal: AbortSignal, items: AsyncIterable<Item>): AsyncGenerator<Item, void, undefined> {
  for await (const item of items) {
    signal.throwIfAborted()
    yield item
  }
}

/** Null for what is no mistake of the invoice, nor of the upstream, nor of the archive. */
function problemOf(error: unknown): string | null {
  const isKnown =
    error instanceof CsvError ||
    error instanceof FiguresUnavailableError ||
    error instanceof ArchiveFileError ||
    error instanceof ReconciliationError
  return isKnown ? error.message : null
}
