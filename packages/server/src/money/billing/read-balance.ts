import {
  CREDITS_PER_USD,
  creditsJson,
  nanocreditsOf,
  usdJson,
  type BalanceReply,
  type Printed,
  type RawJson,
} from '@svc/contract'
import { InvariantError } from '../../platform/errors/invariant-error.ts'
import type { Caller } from '../../access/keys/caller.ts'
import { budgetRemaining, type BudgetState } from '../ledger/budget-window.ts'
import { periodEnd } from '../../platform/runtime/budget-period.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import type { BalanceStore } from './balance-store.ts'

export interface ReadBalanceDeps {
  readonly store: BalanceStore
  readonly clock: Clock
}

/**
 * What the key in use can spend. `credits` is the account's; `credits_available` the least of account, team cap and
 * key budget, less what is held. Read from the rows at every call: a balance is never cached.
 */
export async function readBalance(deps: ReadBalanceDeps, caller: Caller): Promise<Printed<BalanceReply>> {
  const now = deps.clock.now()
  const [balance, keyBudget, teamBudget] = await Promise.all([
    deps.store.findBalance(caller.accountId),
    deps.store.findBudget(caller.keyBudgetId, now),
    caller.teamBudgetId === null ? null : deps.store.findBudget(caller.teamBudgetId, now),
  ])
  if (balance === null) throw new InvariantError(`account ${caller.accountId} has no balance row`)
  if (keyBudget === null) throw new InvariantError(`key ${caller.keyId} has no budget row`)
  const keyRemaining = budgetRemaining(keyBudget)
  const teamRemaining = teamBudget === null ? null : budgetRemaining(teamBudget)
  const { posted, held, funded } = balance
  return {
    object: 'balance',
    credits: credits(posted),
    credits_reserved: credits(held),
    credits_available: credits(leastOf(posted - held, keyRemaining, teamRemaining)),
    usd: usdJson(nanocreditsOf(posted)),
    credits_per_usd: CREDITS_PER_USD,
    total_credits_purchased: credits(funded),
    // Every movement is a funding or a charge, so what is not there any more was charged.
    total_credits_used: credits(funded - posted),
    key: renderKey(caller, keyBudget, keyRemaining, now),
    team_id: caller.teamId,
  }
}

function renderKey(
  caller: Caller,
  budget: BudgetState,
  remaining: bigint | null,
  now: number,
): Printed<BalanceReply>['key'] {
  return {
    id: caller.keyId,
    name: caller.keyName,
    prefix: caller.display,
    budget_credits: budget.limit === null ? null : credits(budget.limit),
    budget_remaining: remaining === null ? null : credits(remaining),
    budget_used: credits(budget.spent),
    budget_reset: budget.period === 'none' ? null : budget.period,
    budget_resets_at: secondsOf(periodEnd(budget.period, now)),
    expires_at: secondsOf(caller.expiresAt),
  }
}

function leastOf(first: bigint, ...others: readonly (bigint | null)[]): bigint {
  let least = first
  for (const other of others) if (other !== null && other < least) least = other
  return least
}

function credits(amount: bigint): RawJson {
  return creditsJson(nanocreditsOf(amount))
}

function secondsOf(ms: number | null): number | null {
  return ms === null ? null : Math.floor(ms / 1_000)
}
