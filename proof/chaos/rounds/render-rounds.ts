import type { RoundReport } from './play-round.ts'
import type { RoundsReport } from './run-rounds.ts'

/** Faults that are printed of each round. */
const SHOWN_MAX = 10

/** One line for a round, and below it what went wrong. */
export function renderRound({ round, what, questions, whole, charged, replays, ...rest }: RoundReport): string {
  const { seconds, settledMs, faults, disturbance } = rest
  const figures = `${questions} asked, ${whole} whole, ${charged} charged, ${replays} asked again`
  const times = `${seconds.toFixed(1)} s, of which ${(settledMs / 1_000).toFixed(1)} to settle`
  const head = `${faults.length === 0 ? 'kept  ' : 'BROKEN'} round ${round}: ${disturbance}: ${what}; ${figures}; ${times}`
  const shown = faults.slice(0, SHOWN_MAX).map((fault) => `        ${fault}`)
  const more = faults.length > SHOWN_MAX ? [`        and ${faults.length - SHOWN_MAX} more`] : []
  return [head, ...shown, ...more].join('\n')
}

function countInto(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count)
}

/** The figures of all rounds. */
export function renderRounds({ rounds, faults, seconds }: RoundsReport): string {
  const sum = (of: (report: RoundReport) => number): number => rounds.reduce((total, each) => total + of(each), 0)
  const by = new Map<string, number>()
  const exceptions = new Map<string, number>()
  for (const report of rounds) {
    countInto(by, report.disturbance, 1)
    for (const [name, count] of report.exceptions) countInto(exceptions, name, count)
  }
  const sorted = (counts: Map<string, number>) => [...counts].toSorted(([left], [right]) => left.localeCompare(right))
  const broken = rounds.filter((report) => report.faults.length > 0)
  return [
    `rounds         ${rounds.length}: ${sorted(by)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')}`,
    `questions      ${sum((each) => each.questions)}, answered whole ${sum((each) => each.whole)}, charged ${sum((each) => each.charged)}`,
    `asked again    ${sum((each) => each.replays)} Idempotency-Keys`,
    `took           ${seconds.toFixed(0)} s`,
    'beside the plain case:',
    ...sorted(exceptions).map(([name, count]) => `  ${String(count).padStart(7)}  ${name}`),
    ...faults.map((fault) => `BROKEN  ${fault}`),
    `broken         ${broken.length} rounds${broken.length === 0 ? '' : `: ${broken.map(({ round }) => round).join(', ')}`}`,
  ].join('\n')
}

/** Whether every promise was kept. */
export function areRoundsClean({ rounds, faults }: RoundsReport): boolean {
  return faults.length === 0 && rounds.every((report) => report.faults.length === 0)
}
