import { formatCredits, nanocreditsOf } from '@svc/contract'
import type { ClusterReport, EventReport } from './run-cluster.ts'

/** Faults that are printed of each event. */
const SHOWN_MAX = 12

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`
const credits = (amount: bigint): string => formatCredits(nanocreditsOf(amount))

function countKinds(kinds: readonly string[]): string {
  const counts = [...new Set(kinds)].map((kind) => `${kind} ${kinds.filter((each) => each === kind).length}`)
  return counts.length === 0 ? 'none' : counts.join(', ')
}

/** What happened, how long no answer came, what the books say, and what went wrong. */
export function renderEvent(report: EventReport): string {
  const { event, what, primaryMs, outage, sums, questions, replays, faults, exceptions } = report
  const primary = primaryMs === null ? '' : `, next primary after ${seconds(primaryMs)}`
  const gaps = outage.gapsMs.map(seconds).join(', ')
  const isEqual = sums.told === sums.ledger && sums.ledger === sums.invoice
  const lines = [
    `${faults.length === 0 ? 'kept  ' : 'BROKEN'} ${event}: ${what}${primary}`,
    `        no answer for ${seconds(outage.gapMs)}, from ${seconds(outage.fromMs)} to ${seconds(outage.toMs)} after the event; by gateway: ${gaps}`,
    `        503: ${outage.refused}, of these after an upstream was asked: ${countKinds(outage.refusedAfterUpstream)}; charges pending for a while: ${outage.pending}`,
    `        ${sums.answers} whole answers: told ${credits(sums.told)}, ledger ${credits(sums.ledger)}, invoice × 1.2 ${credits(sums.invoice)}${isEqual ? '' : '  UNEQUAL'}`,
    `        parts ${credits(sums.parts)}, written off ${credits(sums.writtenOff)}; charges that the database had lost: ${report.lostCharges}; leases lost: ${report.lostLeases}`,
    `        ${questions} asked, ${replays} asked again; CPU of the gateways ${report.cpuSeconds.toFixed(1)} s; settled after ${seconds(report.settledMs)}; took ${report.seconds.toFixed(0)} s`,
    ...[...exceptions].map(([name, count]) => `        ${String(count).padStart(7)}  ${name}`),
    ...faults.slice(0, SHOWN_MAX).map((fault) => `        FAULT  ${fault}`),
    ...(faults.length > SHOWN_MAX ? [`        and ${faults.length - SHOWN_MAX} more`] : []),
  ]
  return lines.join('\n')
}

/** The sums of all events. */
export function renderCluster({ events, faults, seconds: took }: ClusterReport): string {
  const sum = (of: (report: EventReport) => bigint): bigint => events.reduce((total, each) => total + of(each), 0n)
  const [told, ledger, invoice] = [
    sum(({ sums }) => sums.told),
    sum(({ sums }) => sums.ledger),
    sum(({ sums }) => sums.invoice),
  ]
  const broken = events.filter((report) => report.faults.length > 0)
  return [
    `events         ${events.length}, in ${took.toFixed(0)} s`,
    `told           ${credits(told)}`,
    `ledger         ${credits(ledger)}`,
    `invoice × 1.2  ${credits(invoice)}`,
    ...faults.map((fault) => `BROKEN  ${fault}`),
    `broken         ${broken.length} events${broken.length === 0 ? '' : `: ${broken.map(({ event }) => event).join(', ')}`}`,
  ].join('\n')
}

/** Whether every promise was kept. */
export function isClusterClean({ events, faults }: ClusterReport): boolean {
  return faults.length === 0 && events.every((report) => report.faults.length === 0)
}
