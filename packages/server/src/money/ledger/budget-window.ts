import type { BudgetPeriod } from '../../platform/runtime/budget-period.ts'

const DAY_MS = 86_400_000

/** The day of a time, counted from the epoch in UTC. */
export function dayOf(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS)
}

/** What decides what a budget still allows in one of its periods. */
export interface BudgetState {
  readonly limit: bigint | null
  readonly period: BudgetPeriod
  readonly spent: bigint
  readonly reserved: bigint
}

/** What a budget allows in that period, in nanocredits; null when it caps nothing. */
export function budgetRemaining(budget: BudgetState): bigint | null {
  if (budget.limit === null) return null
  const remaining = budget.limit - budget.spent - budget.reserved
  return remaining > 0n ? remaining : 0n
}
