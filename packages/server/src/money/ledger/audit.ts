/**
 * Recomputes every promise about money from the rows themselves.
 *
 * All figures come from one snapshot, so an audit beside live traffic finds nothing that is merely under way.
 */
import { formatCredits } from '@svc/contract'
import type { Database } from '../../platform/db/database.ts'
import { systemClock, type Clock } from '../../platform/runtime/clock.ts'
import { invariants } from './audit-invariants.ts'
import type { AuditContext, Invariant } from './audit-query.ts'

/** One promise, what was counted for it, and what breaks it. */
export interface AuditRow {
  readonly name: string
  readonly promise: string
  /** Amounts as credits in text, counts as whole numbers. */
  readonly figures: Readonly<Record<string, string | number>>
  /** How many rows break the promise. */
  readonly breaches: number
  /** The first few of them, in words. */
  readonly examples: readonly string[]
}

export interface AuditReport {
  readonly takenAt: number
  readonly rows: readonly AuditRow[]
  /** Over all rows; 0 means that every promise is kept. */
  readonly breaches: number
}

/** Checks every invariant on one snapshot. Reads only. @param more what is checked beside the ledger's own invariants. */
export async function runAudit(
  database: Database,
  clock: Clock = systemClock,
  more: readonly Invariant[] = [],
): Promise<AuditReport> {
  const takenAt = clock.now()
  const { engine } = database
  const transaction = database.read.transaction()
  const isolated = engine === 'postgres' ? transaction.setIsolationLevel('repeatable read') : transaction
  const rows = await isolated.execute(async (db) => {
    const context: AuditContext = { db, engine, now: takenAt }
    const checked: AuditRow[] = []
    for (const { name, promise, check } of [...invariants, ...more]) {
      const finding = await check(context)
      checked.push({ name, promise, figures: formatFigures(finding.figures), ...summarise(finding.breaches) })
    }
    return checked
  })
  return { takenAt, rows, breaches: rows.reduce((sum, row) => sum + row.breaches, 0) }
}

const EXAMPLES_MAX = 5

function summarise(breaches: readonly string[]): { readonly breaches: number; readonly examples: readonly string[] } {
  return { breaches: breaches.length, examples: breaches.slice(0, EXAMPLES_MAX) }
}

function formatFigures(figures: Readonly<Record<string, bigint | number>>): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, typeof value === 'bigint' ? formatCredits(value) : value]),
  )
}

/** Prints a report for people: a line for each promise, its figures, and what breaks it. */
export function renderAudit(report: AuditReport): string {
  const lines = report.rows.flatMap((row) => [
    `${row.breaches === 0 ? 'kept  ' : 'BROKEN'}  ${row.name}: ${row.promise}`,
    `        ${Object.entries(row.figures)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')}`,
    ...row.examples.map((example) => `        breach: ${example}`),
    ...(row.breaches > row.examples.length ? [`        and ${row.breaches - row.examples.length} more`] : []),
  ])
  const verdict =
    report.breaches === 0 ? `All ${report.rows.length} promises are kept.` : `${report.breaches} breaches found.`
  return [...lines, verdict].join('\n')
}
