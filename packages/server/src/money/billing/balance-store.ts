import type { ExpressionBuilder } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { inPresentWindow } from '../../platform/db/present-window.ts'
import type { Schema } from '../../platform/db/schema.ts'
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
  /** Whether an account may ask for work at all. */
  isActive(accountId: string): Promise<boolean>
  /** A budget with what it has counted in the period that contains `now`. */
  findBudget(budgetId: string, now: number): Promise<BudgetState | null>
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
    async isActive(accountId) {
      const row = await read
        .selectFrom('account')
        .select('account_id')
        .where('account_id', '=', accountId)
        .where('status', '=', 'active')
        .executeTakeFirst()
      return row !== undefined
    },
    async findBudget(budgetId, now) {
      const row = await read
        .selectFrom('budget')
        .leftJoin('budget_window', inPresentWindow(now))
        .select(['limit_nanocredits', 'period', 'spent', 'reserved'])
        .where('budget.budget_id', '=', budgetId)
        .executeTakeFirst()
      if (row === undefined) return null
      const { limit_nanocredits: limit, period, spent, reserved } = row
      return { limit, period, spent: spent ?? 0n, reserved: reserved ?? 0n }
    },
  }
}

/**
 * The captures of an account may be millions; its fundings, which have an index of their own, are few. Their ids are
 * compared for the sake of that index: SQLite takes the one of all transfers without it.
 */
function fundedOf(from: ExpressionBuilder<Schema, 'balance'>) {
  return from
    .selectFrom('transfer')
    .select(({ fn }) => fn.sum<bigint | null>('transfer.funding').as('sum_funding'))
    .whereRef('transfer.account_id', '=', 'balance.account_id')
    .where('transfer.hold_id', 'is', null)
    .where('transfer.transfer_id', '>', '')
    .as('total_funding')
}
