import { Counter, Gauge, type Registry } from 'prom-client'

/** Emails and movements of coins of all processes on the database. */
export interface Backlog {
  readonly mailWaiting: number
  /** 0 when none waits. */
  readonly mailOldestSeconds: number
  readonly outflows: readonly OutflowFigure[]
}

export interface OutflowFigure {
  readonly chain: string
  readonly asset: string
  readonly state: string
  readonly count: number
  readonly oldestSeconds: number
}

/** What became of an attempt to send an email. */
export type MailOutcome = 'sent' | 'postponed' | 'failed'

export interface BacklogMetrics {
  /** An attempt at an email has ended. */
  readonly mailed: (outcome: MailOutcome) => void
  /** What waits now; null when the database did not answer in time. */
  setOpen(backlog: Backlog | null): void
}

/** States in which coins are on their way. */
const MOVING: ReadonlySet<string> = new Set(['planned', 'sent'])

/** Registers the metrics of mail and of what leaves the addresses. */
export function createBacklogMetrics(registry: Registry): BacklogMetrics {
  const gauge = (name: string, help: string, labelNames: readonly string[] = []): Gauge =>
    new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] })
  const mailed = new Counter({
    name: 'svc_mail_attempts_total',
    help: 'Attempts of this process at emails: sent, postponed (tried again), or failed (not tried again).',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const waiting = gauge('svc_database_mail_waiting', 'Emails of all processes that wait.')
  const waitingAge = gauge('svc_database_mail_oldest_age_seconds', 'Age of the oldest email that waits; 0 for none.')
  const outflows = gauge('svc_database_outflows', 'Movements from the addresses to the treasury, by state.', [
    ...['chain', 'asset', 'state'],
  ])
  const movingAge = gauge(
    'svc_database_outflows_oldest_age_seconds',
    'Age of the oldest that is under way; 0 for none.',
  )
  return {
    mailed: (outcome) => mailed.inc({ outcome }),
    setOpen: (backlog) => {
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
