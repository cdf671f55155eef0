/** How often a budget starts anew. */
export type BudgetPeriod = 'none' | 'daily' | 'weekly' | 'monthly'

const DAY_MS = 86_400_000
/** The epoch was a Thursday; the Monday of that week lies three days before it. */
const DAYS_SINCE_MONDAY_AT_EPOCH = 3

/**
 * When the period that contains `nowMs` began: midnight, Monday or the first of the month, in UTC. A budget without
 * a period has had one since the epoch: 0.
 */
export function periodStart(period: BudgetPeriod, nowMs: number): number {
  const day = Math.floor(nowMs / DAY_MS)
  switch (period) {
    case 'none':
      return 0
    case 'daily':
      return day * DAY_MS
    case 'weekly':
      return (day - ((day + DAYS_SINCE_MONDAY_AT_EPOCH) % 7)) * DAY_MS
    case 'monthly': {
      const date = new Date(nowMs)
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
    }
  }
}

/** When the next period begins; null for a budget that never starts anew. */
export function periodEnd(period: BudgetPeriod, nowMs: number): number | null {
  const start = periodStart(period, nowMs)
  switch (period) {
    case 'none':
      return null
    case 'daily':
      return start + DAY_MS
    case 'weekly':
      return start + 7 * DAY_MS
    case 'monthly': {
      const date = new Date(start)
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
    }
  }
}
