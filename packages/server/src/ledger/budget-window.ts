import { type BudgetPeriod, periodStart } from '../runtime/budget-period.ts'

const DAY_MS = 86_400_000

/** The day of a time, counted from the epoch in UTC. */
export function dayOf(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS)
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
  const hasPassed = periodStart(budget.period, nowMs) > budget.windowStart
  const remaining = hasPassed ? budget.limit : budget.limit - budget.spent - budget.reserved
  return remaining > 0n ? remaining : 0n
}
