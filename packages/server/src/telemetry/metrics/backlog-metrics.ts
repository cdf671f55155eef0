import { Counter, Gauge, type Registry } from 'prom-client'

/** What waits in the database, over all processes on it: emails, movements of coins, deposits, batches. */
export interface Backlog {
  readonly mailWaiting: number
  /** 0 when none waits. */
  readonly mailOldestSeconds: number
  readonly outflows: readonly OutflowFigure[]
  /** Deposits that are neither credited nor decided against. */
  readonly deposits: readonly DepositFigure[]
  readonly batches: readonly BatchFigure[]
  /** How long the next step of a batch is overdue, over all batches; 0 for none. */
  readonly batchesOverdueSeconds: number
}

export interface DepositFigure {
  readonly chain: string
  readonly state: string
  readonly count: number
  readonly oldestSeconds: number
}

/** Batches that have not ended and are in one state. */
export interface BatchFigure {
  readonly state: string
  readonly count: number
}

export interface OutflowFigure {
  readonly chain: string
  readonly asset: string
  readonly state: string
  readonly count: number
  readonly oldestSeconds: number
}

/** What became of an attempt to send an email. */
export type MailOutcome = (typeof MAIL_OUTCOMES)[number]

const MAIL_OUTCOMES = ['sent', 'postponed', 'failed'] as const

export interface BacklogMetrics {
  /** An attempt at an email has ended. */
  readonly mailed: (outcome: MailOutcome) => void
  /** What waits now; null when the database did not answer in time. */
  setOpen(backlog: Backlog | null): void
}

/** States in which coins are on their way. */
const MOVING: ReadonlySet<string> = new Set(['planned', 'sent'])

/** Registers the metrics of what waits. */
export function createBacklogMetrics(registry: Registry): BacklogMetrics {
  const gauge = (name: string, help: string, labelNames: readonly string[] = []): Gauge =>
    new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] })
  const mailed = new Counter({
    name: 'svc_mail_attempts_total',
    help: 'Attempts of this process at emails: sent, postponed (tried again), or failed (not tried again).',
    labelNames: ['outcome'],
    registers: [registry],
  })
  // There from the start, so that the first of a kind is seen as a rise.
  for (const outcome of MAIL_OUTCOMES) mailed.inc({ outcome }, 0)
  const waiting = gauge('svc_database_mail_waiting', 'Emails of all processes that wait.')
  const waitingAge = gauge('svc_database_mail_oldest_age_seconds', 'Age of the oldest email that waits; 0 for none.')
  const outflows = gauge('svc_database_outflows', 'Movements from the addresses to the treasury, by state.', [
    ...['chain', 'asset', 'state'],
  ])
  const movingAge = gauge(
    'svc_database_outflows_oldest_age_seconds',
    'Age of the oldest that is under way; 0 for none.',
  )
  const setDeposits = createDepositGauges(registry)
  const setBatches = createBatchGauges(registry)
  return {
    mailed: (outcome) => mailed.inc({ outcome }),
    setOpen: (backlog) => {
      setDeposits(backlog)
      setBatches(backlog)
      // A value that is not known must not be reported as the one before.
      outflows.reset()
      if (backlog === null) return [waiting, waitingAge, movingAge].forEach((each) => each.remove())
      waiting.set(backlog.mailWaiting)
      waitingAge.set(backlog.mailOldestSeconds)
      for (const { chain, asset, state, count } of backlog.outflows) outflows.set({ chain, asset, state }, count)
      const moving = backlog.outflows.filter(({ state }) => MOVING.has(state))
      movingAge.set(Math.max(0, ...moving.map(({ oldestSeconds }) => oldestSeconds)))
    },
  }
}

function createDepositGauges(registry: Registry): (backlog: Backlog | null) => void {
  const make = (name: string, help: string): Gauge =>
    new Gauge({ name, help, labelNames: ['chain', 'state'], registers: [registry] })
  const waiting = make(
    'svc_database_deposits_waiting',
    'Deposits that are not credited yet, by state; under_review waits for an operator.',
  )
  const age = make('svc_database_deposits_oldest_age_seconds', 'Time since the oldest of them was seen.')
  return (backlog) => {
    waiting.reset()
    age.reset()
    for (const { chain, state, count, oldestSeconds } of backlog?.deposits ?? []) {
      waiting.set({ chain, state }, count)
      age.set({ chain, state }, oldestSeconds)
    }
  }
}

function createBatchGauges(registry: Registry): (backlog: Backlog | null) => void {
  const open = new Gauge({
    name: 'svc_database_batches_open',
    help: 'Batches of all processes that have not ended, by state.',
    labelNames: ['state'],
    registers: [registry],
  })
  const overdue = new Gauge({
    name: 'svc_database_batches_overdue_seconds',
    help: 'For how long no process has taken the batch that is due the longest; 0 for none.',
    registers: [registry],
  })
  return (backlog) => {
    open.reset()
    if (backlog === null) return overdue.remove()
    for (const { state, count } of backlog.batches) open.set({ state }, count)
    overdue.set(backlog.batchesOverdueSeconds)
  }
}
