import type { ExpressionBuilder } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import type { BudgetState } from '../ledger/budget-window.ts'

export interface BalanceFacts {
  /** The balance, holds included. */
  readonly posted: bigint
  readonly held: bigint
  /** Granted, deposited and corrected so far; negative corrections reduce it. */
  readonly funded: bigint
}

export interface BalanceStore {
  /** Null for an account without a balance. */
  findBalance(accountId: string): Promise<BalanceFacts | null>
  findBudget(budgetId: string): Promise<BudgetState | null>
}

/** Makes the store that reads what an account and a budget hold. Nothing is written here. */
export function createBalanceStore({ read }: Database): BalanceStore {
  return {
    async findBalance(accountId) {
      const row = await read
        .selectFrom('balance')
        .select(['balance.posted', 'balance.held', fundedOf])
        .where('balance.account_id', '=', accountId)
        .executeTakeFirst()
      return row === undefined ? null : { posted: row.posted, held: row.held, funded: row.total_funding ?? 0n }
    },
    async findBudget(budgetId) {
      const row = await read
        .selectFrom('budget')
        .select(['limit_nanocredits', 'period', 'window_start as windowStart', 'spent', 'reserved'])
        .where('budget_id', '=', budgetId)
        .executeTakeFirst()
      if (row === undefined) return null
      const { limit_nanocredits: limit, ...rest } = row
      return { limit, ...rest }
    },
  }
}

/** The captures of an account may be millions; its fundings, which have an index of their own, are few. */
function fundedOf(from: ExpressionBuilder<Schema, 'balance'>) {
  return from
    .selectFrom('transfer')
    .select(({ fn }) => fn.sum<bigint | null>('transfer.funding').as('sum_funding'))
    .whereRef('transfer.account_id', '=', 'balance.account_id')
    .where('transfer.hold_id', 'is', null)
    .as('total_funding')
}
