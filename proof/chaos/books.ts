/** The rows of the ledger that a chaos run is compared with. */
import type { UsageStatus } from '@svc/contract'
import type { Database } from '../../packages/server/src/platform/db/database.ts'

export interface UsageRow {
  readonly usage_id: string
  readonly key_id: string
  readonly account_id: string
  readonly status: UsageStatus
  readonly error_code: string | null
  readonly charge: bigint
  readonly write_off: bigint
  readonly cost: bigint
  readonly estimated: number
  readonly generation_id: string | null
}

export interface TransferRow {
  readonly transfer_id: string
  readonly account_id: string
  readonly kind: string
  readonly hold_id: string | null
  readonly funding: bigint
  readonly charge: bigint
  readonly write_off: bigint
}

export interface Books {
  readonly usage: readonly UsageRow[]
  readonly transfers: readonly TransferRow[]
  readonly holds: readonly { readonly hold_id: string; readonly state: string }[]
  readonly balances: readonly { readonly account_id: string; readonly posted: bigint; readonly held: bigint }[]
}

/** Reads them all. */
export async function readBooks({ read }: Database): Promise<Books> {
  const usage = await read
    .selectFrom('usage_record')
    .select(['usage_id', 'key_id', 'account_id', 'status', 'error_code'])
    .select(['charge', 'write_off', 'cost', 'estimated', 'generation_id'])
    .execute()
  const transfers = await read
    .selectFrom('transfer')
    .select(['transfer_id', 'account_id', 'kind', 'hold_id', 'funding', 'charge', 'write_off'])
    .execute()
  const holds = await read.selectFrom('hold').select(['hold_id', 'state']).execute()
  const balances = await read.selectFrom('balance').select(['account_id', 'posted', 'held']).execute()
  return { usage, transfers, holds, balances }
}

/** What must never be seen, in words: balances below zero, keys above an unchanged budget. */
export async function sampleBooks({ read }: Database, fixedBudgets: ReadonlySet<string>): Promise<readonly string[]> {
  const balances = await read.selectFrom('balance').select(['account_id', 'posted', 'held']).execute()
  const keys = await read
    .selectFrom('api_key')
    .innerJoin('budget', 'budget.budget_id', 'api_key.budget_id')
    .innerJoin('budget_window', 'budget_window.budget_id', 'budget.budget_id')
    .select(['api_key.key_id', 'budget_window.spent', 'budget_window.reserved', 'budget.limit_nanocredits'])
    .execute()
  return [
    ...balances
      .filter(({ posted, held }) => posted - held < 0n || held < 0n)
      .map((row) => `account ${row.account_id} had posted ${row.posted} and held ${row.held}`),
    ...keys
      .filter((row) => fixedBudgets.has(row.key_id) && row.spent + row.reserved > (row.limit_nanocredits ?? 0n))
      .map((row) => `key ${row.key_id} had ${row.spent} + ${row.reserved} of ${row.limit_nanocredits}`),
  ]
}
