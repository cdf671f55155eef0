import type { SpendLimit } from './operations.ts'
import { findBudget, type BatchRows } from './sqlite-batch-rows.ts'
import type { BalanceRow, BudgetRow, HoldRow } from './sqlite-ledger-rows.ts'

/** Everything that must be able to pay: the account, and the budgets that cap its spending. */
export interface Purses {
  readonly balance: BalanceRow
  readonly team: BudgetRow | null
  readonly key: BudgetRow | null
}

/**
 * The smallest purse and what is left in it, never below zero. Of equal ones the account comes before the team, the
 * team before the key.
 */
export function leastPurse({ balance, team, key }: Purses): { readonly limit: SpendLimit; readonly available: bigint } {
  let limit: SpendLimit = 'account'
  let available = balance.posted - balance.held
  const ofTeam = remaining(team)
  if (ofTeam !== null && ofTeam < available) [limit, available] = ['team', ofTeam]
  const ofKey = remaining(key)
  if (ofKey !== null && ofKey < available) [limit, available] = ['key', ofKey]
  return { limit, available: available > 0n ? available : 0n }
}

/** The purses that a hold counts in: a budget only as long as its row is in the period in which the hold was placed. */
export function pursesOf(rows: BatchRows, hold: HoldRow, balance: BalanceRow): Purses {
  const team = hold.teamBudgetId === null ? null : findBudget(rows, hold.teamBudgetId)
  const key = hold.keyBudgetId === null ? null : findBudget(rows, hold.keyBudgetId)
  return {
    balance,
    team: team?.windowStart === hold.teamWindowStart ? team : null,
    key: key?.windowStart === hold.keyWindowStart ? key : null,
  }
}

/** What can be charged at most: the hold itself, which is always honoured, and what the purses have beside it. */
export function payableBeyondHold(purses: Purses, held: bigint): bigint {
  return held + leastPurse(purses).available
}

function remaining(budget: BudgetRow | null): bigint | null {
  return budget === null || budget.limit === null ? null : budget.limit - budget.spent - budget.reserved
}
