import type { BudgetTable } from '../db/schema.ts'

export type BudgetPeriod = BudgetTable['period']

const DAY_MS = 86_400_000
/** The epoch was a Thursday; weeks start on Monday as in ISO 8601. */
const EPOCH_DAYS_AFTER_MONDAY = 3

/** The day of a time, counted from the epoch in UTC. */
export function dayOf(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS)
}

/**
 * Start of the budget period that `nowMs` lies in: the UTC day, the ISO week from Monday, or the month. 0 for a budget
 * that never resets.
 */
export function budgetWindowStart(period: BudgetPeriod, nowMs: number): number {
  switch (period) {
    case 'none':
      return 0
    case 'daily':
      return dayOf(nowMs) * DAY_MS
    case 'weekly': {
      const day = dayOf(nowMs)
      return (day - ((day + EPOCH_DAYS_AFTER_MONDAY) % 7)) * DAY_MS
    }
    case 'monthly': {
      const date = new Date(nowMs)
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
    }
  }
}

/** The part of a budget row that decides what it still allows. */
export interface BudgetState {
  readonly limit: bigint | null
  readonly period: BudgetPeriod
  readonly windowStart: number
  readonly spent: bigint
  readonly reserved: bigint
}

/**
 * What a budget allows now, in nanocredits; null when it caps nothing. A period that has passed counts as spent by
 * nobody.
 */
export function budgetRemaining(budget: BudgetState, nowMs: number): bigint | null {
  if (budget.limit === null) return null
  const hasPassed = budgetWindowStart(budget.period, nowMs) > budget.windowStart
  const remaining = hasPassed ? budget.limit : budget.limit - budget.spent - budget.reserved
  return remaining > 0n ? remaining : 0n
}
