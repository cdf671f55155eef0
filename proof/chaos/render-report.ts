import { formatCredits } from '@svc/contract'
import type { ChaosReport } from './run-chaos.ts'

/** Differences that are printed of each promise. */
const SHOWN_MAX = 10

function countBy<Item>(items: readonly Item[], nameOf: (item: Item) => string): string {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(nameOf(item), (counts.get(nameOf(item)) ?? 0) + 1)
  const sorted = [...counts].toSorted((left, right) => right[1] - left[1])
  return sorted.map(([name, count]) => `${name} ${count}`).join(', ')
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)] ?? 0
}

function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n)
}

/** Prints the figures of a run, then each promise with what breaks it. */
export function renderReport(report: ChaosReport): string {
  const { attempts, invoice, books } = report
  const charged = books.usage.filter(({ charge }) => charge > 0n)
  const orphans = books.usage.filter(({ error_code: code }) => code === 'gateway_stopped')
  const figures: readonly (readonly [string, string])[] = [
    ['kills', `${report.restartsMs.length}; ready again after ${median(report.restartsMs).toFixed(0)} ms (median)`],
    ['requests', `${attempts.length}: ${countBy(attempts, ({ end }) => end)}`],
    [
      'refusals',
      countBy(
        attempts.filter(({ end }) => end === 'refused'),
        ({ errorCode }) => errorCode ?? '',
      ),
    ],
    ['upstream', `${invoice.length} questions: ${countBy(invoice, ({ plan }) => plan.behaviour)}`],
    ['holds', `${books.holds.length}: ${countBy(books.holds, ({ state }) => state)}`],
    ['charged', `${charged.length} requests, ${formatCredits(sumOf(charged.map(({ charge }) => charge)))} credits`],
    ['written off', `${formatCredits(sumOf(books.usage.map((row) => row.write_off)))} credits`],
    [
      'left by a kill',
      `${orphans.length}: ${orphans.filter(({ charge }) => charge > 0n).length} charged, the rest free`,
    ],
    ['samples', `${report.samples} of all balances and budgets`],
    ['leases lost', String(report.lostLeases)],
    ['last hold', `settled ${(report.settledMs / 1_000).toFixed(1)} s after the load`],
    ['took', `${report.seconds.toFixed(0)} s`],
  ]
  const lines = figures.map(([name, text]) => `${name.padEnd(15)}${text}`)
  for (const [promise, differences] of report.differences) {
    lines.push(`${differences.length === 0 ? 'kept  ' : 'BROKEN'}  ${promise}`)
    lines.push(...differences.slice(0, SHOWN_MAX).map((difference) => `        ${difference}`))
    if (differences.length > SHOWN_MAX) lines.push(`        and ${differences.length - SHOWN_MAX} more`)
  }
  return lines.join('\n')
}

/** Whether every promise was kept. */
export function isClean({ differences }: ChaosReport): boolean {
  return [...differences.values()].every((each) => each.length === 0)
}
