import { periodStart } from '../../platform/runtime/budget-period.ts'
import { COUNTED_MAX } from './hold-size.ts'
import type { SpendLimit } from './operations.ts'
import { findBudget, findWindow, type BatchRows } from './sqlite-batch-rows.ts'
import type { BalanceRow, BudgetRow, HoldRow, WindowRow } from './sqlite-ledger-rows.ts'

/** Everything that must be able to pay: the account, and the budgets that cap its spending. */
export interface SpendingLimits {
  readonly balance: BalanceRow
  readonly team: WindowRow | null
  readonly key: WindowRow | null
}

/**
 * The tightest limit and what is left in it, never below zero. Of equal ones the account comes before the team, the
 * team before the key.
 */
export function tightestLimit({ balance, team, key }: SpendingLimits): {
  readonly limit: SpendLimit
  readonly available: bigint
} {
  let limit: SpendLimit = 'account'
  let available = balance.posted - balance.held
  const ofTeam = remaining(team)
  if (ofTeam !== null && ofTeam < available) [limit, available] = ['team', ofTeam]
  const ofKey = remaining(key)
  if (ofKey !== null && ofKey < available) [limit, available] = ['key', ofKey]
  return { limit, available: available > 0n ? available : 0n }
}

/** The period of a budget that contains a time. */
export function windowAt(rows: BatchRows, budget: BudgetRow | null, time: number): WindowRow | null {
  return budget === null ? null : findWindow(rows, budget, periodStart(budget.period, time))
}

/** The limits that a hold counts in: of its budgets the periods in which it was placed. */
export function spendingLimitsOf(rows: BatchRows, hold: HoldRow, balance: BalanceRow): SpendingLimits {
  return {
    balance,
    team: windowOf(rows, hold.teamBudgetId, hold.teamWindowStart),
    key: windowOf(rows, hold.keyBudgetId, hold.keyWindowStart),
  }
}

function windowOf(rows: BatchRows, budgetId: string | null, windowStart: number | null): WindowRow | null {
  const budget = budgetId === null ? null : findBudget(rows, budgetId)
  return budget === null || windowStart === null ? null : findWindow(rows, budget, windowStart)
}

/** What can be charged at most: the hold itself, which is always honoured, and what the limits leave beside it. */
export function payableBeyondHold(spending: SpendingLimits, held: bigint): bigint {
  return held + tightestLimit(spending).available
}

function remaining(window: WindowRow | null): bigint | null {
  if (window === null) return null
  const { limit } = window.budget
  return (limit === null || limit > COUNTED_MAX ? COUNTED_MAX : limit) - window.spent - window.reserved
}
