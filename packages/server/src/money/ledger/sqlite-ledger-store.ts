/**
 * The ledger's statements on SQLite, kept prepared on the writer's connection. Rows cross as arrays: that is the
 * fastest form.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { BudgetPeriod } from '../../platform/runtime/budget-period.ts'
import { createNameStatements } from './sqlite-name-store.ts'
import { createRecordStatements, marks } from './sqlite-record-store.ts'
import type {
  BalanceRow,
  BudgetRow,
  ExtensionRow,
  HoldRow,
  HoldState,
  KeyRow,
  TransferRow,
  UsageRow,
  WindowRow,
} from './sqlite-ledger-rows.ts'
import { createDepositStatements, createInflowStatements } from './sqlite-deposit-store.ts'

export type SqliteLedgerStore = ReturnType<typeof createSqliteLedgerStore>

/** Prepares every statement. */
export function createSqliteLedgerStore(connection: DatabaseSync) {
  return {
    ...createReads(connection),
    ...createHoldWrites(connection),
    ...createRecordStatements(connection),
    ...createDepositStatements(connection),
    ...createInflowStatements(connection),
    ...createNameStatements(connection),
  }
}

type Row = readonly (bigint | string | null)[]

function createReads(connection: DatabaseSync) {
  const balance = rowsOf(
    connection,
    `select b.posted, b.held, a.status = 'active'
       from balance b join account a using (account_id) where b.account_id = ?`,
  )
  const budget = rowsOf(connection, 'select limit_nanocredits, period from budget where budget_id = ?')
  const window = connection.prepare(
    'select spent, reserved from budget_window where budget_id = ? and window_start = ?',
    {
      readBigInts: true,
      returnArrays: true,
    },
  )
  const archived = rowsOf(connection, 'select 1 from archive_file where last_id >= ? limit 1')
  const key = rowsOf(
    connection,
    `select team_id, account_id, min(coalesce(expires_at, rotate_by), coalesce(rotate_by, expires_at)),
            revoked_at is not null, mirrored_by
       from api_key where key_id = ?`,
  )
  const hold = rowsOf(
    connection,
    `select account_id, key_id, team_budget_id, key_budget_id, team_window_start, key_window_start, process_id, type,
            model, stream, limit_units, placed_at, state, amount, ended_at, progress, first_amount
       from hold where hold_id = ?`,
  )
  const usage = rowsOf(
    connection,
    `select charge, created_at, coalesce(prompt_tokens, 0), coalesce(completion_tokens, 0)
       from usage_record where usage_id = ?`,
  )
  const transfer = rowsOf(connection, 'select account_id, kind, funding, reason from transfer where transfer_id = ?')
  const charge = rowsOf(connection, 'select charge from transfer where transfer_id = ? and hold_id = transfer_id')
  const budgets = rowsOf(
    connection,
    `select k.budget_id, t.budget_id from api_key k left join team t on t.team_id = k.team_id where k.key_id = ?`,
  )
  const operator = rowsOf(connection, 'select user_id from operator where user_id = ?')
  const foreignCommits = connection.prepare('pragma data_version', { returnArrays: true })
  return {
    /** Changes whenever another connection has committed. Source: SQLite, PRAGMA data_version. */
    foreignCommits: (): unknown => Reflect.get(foreignCommits.get() ?? [], 0),
    findBalance: (accountId: string): BalanceRow | null => balanceFrom(accountId, balance(accountId)),
    findBudget: (budgetId: string): BudgetRow | null => budgetFrom(budgetId, budget(budgetId)),
    /** What a budget has counted in a period; nothing where it has no row. */
    findWindow: (budgetId: string, windowStart: number): Pick<WindowRow, 'spent' | 'reserved'> => {
      const row = window.get(budgetId, windowStart) as Row | undefined
      return { spent: (row?.[0] as bigint | undefined) ?? 0n, reserved: (row?.[1] as bigint | undefined) ?? 0n }
    },
    findKey: (keyId: string): KeyRow | null => keyFrom(key, keyId),
    findHold: (holdId: string): HoldRow | null => holdFrom(holdId, hold(holdId)),
    findUsage: (usageId: string): UsageRow | null => usageFrom(usage(usageId)),
    /** What was charged for a hold; null when nothing of it is booked. */
    findCharge: (holdId: string): bigint | null => (charge(holdId)?.[0] as bigint | undefined) ?? null,
    /** Whether a request is so old that its record is in a file, if it had one. */
    isArchived: (holdId: string): boolean => archived(holdId) !== undefined,
    /** The budgets in which a key's charges count now. */
    findBudgetsOf: (keyId: string): { readonly key: string | null; readonly team: string | null } => {
      const row = budgets(keyId)
      return { key: (row?.[0] as string | undefined) ?? null, team: (row?.[1] as string | null | undefined) ?? null }
    },
    isOperator: (userId: string): boolean => operator(userId) !== undefined,
    findTransfer: (transferId: string): TransferRow | null => transferFrom(transfer(transferId)),
  }
}

function rowsOf(connection: DatabaseSync, sql: string): (id: string) => Row | undefined {
  const statement = connection.prepare(sql, { readBigInts: true, returnArrays: true })
  return (id) => statement.get(id) as Row | undefined
}

function balanceFrom(accountId: string, row: Row | undefined): BalanceRow | null {
  if (row === undefined) return null
  return { accountId, posted: row[0] as bigint, held: row[1] as bigint, isActive: row[2] === 1n, isChanged: false }
}

function budgetFrom(budgetId: string, row: Row | undefined): BudgetRow | null {
  if (row === undefined) return null
  return {
    budgetId,
    limit: row[0] as bigint | null,
    period: row[1] as BudgetPeriod,
  }
}

/** A mirrored key ends with each key through which it came. */
function keyFrom(find: (keyId: string) => Row | undefined, keyId: string): KeyRow | null {
  const row = find(keyId)
  if (row === undefined) return null
  const own = {
    teamId: row[0] as string,
    accountId: row[1] as string,
    expiresAt: numberFrom(row[2]),
    isRevoked: row[3] === 1n,
  }
  const mirroredBy = row[4] as string | null
  const origin = mirroredBy === null ? null : keyFrom(find, mirroredBy)
  if (origin === null) return own
  const expiresAt = Math.min(own.expiresAt ?? Infinity, origin.expiresAt ?? Infinity)
  return {
    ...own,
    expiresAt: expiresAt === Infinity ? null : expiresAt,
    isRevoked: own.isRevoked || origin.isRevoked,
  }
}

function usageFrom(row: Row | undefined): UsageRow | null {
  if (row === undefined) return null
  return {
    charge: row[0] as bigint,
    createdAt: Number(row[1]),
    promptTokens: Number(row[2]),
    completionTokens: Number(row[3]),
  }
}

function holdFrom(holdId: string, row: Row | undefined): HoldRow | null {
  if (row === undefined) return null
  const state = row[12] as HoldState
  return {
    holdId,
    accountId: row[0] as string,
    keyId: row[1] as string,
    teamBudgetId: row[2] as string | null,
    keyBudgetId: row[3] as string | null,
    teamWindowStart: numberFrom(row[4]),
    keyWindowStart: numberFrom(row[5]),
    processId: row[6] as string,
    type: row[7] as string,
    model: row[8] as string,
    stream: row[9] === 1n,
    limitUnits: numberFrom(row[10]),
    placedAt: Number(row[11]),
    storedState: state,
    amount: row[13] as bigint,
    firstAmount: row[16] as bigint | null,
    state,
    endedAt: numberFrom(row[14]),
    progress: row[15] as string | null,
    isChanged: false,
    ending: null,
  }
}

function numberFrom(value: bigint | string | null | undefined): number | null {
  return value == null ? null : Number(value)
}

function transferFrom(row: Row | undefined): TransferRow | null {
  if (row === undefined) return null
  return {
    accountId: row[0] as string,
    kind: row[1] as string,
    amount: row[2] as bigint,
    reason: row[3] as string | null,
  }
}

function createHoldWrites(connection: DatabaseSync) {
  const insertHold = connection.prepare(
    `insert into hold (hold_id, account_id, key_id, team_budget_id, key_budget_id, team_window_start, key_window_start,
       process_id, type, model, stream, limit_units, placed_at, state, amount, ended_at, progress, first_amount)
     values (${marks(18)})`,
  )
  const updateHold = connection.prepare(
    'update hold set amount = ?, first_amount = ?, state = ?, ended_at = ?, progress = ? where hold_id = ?',
  )
  const insertExtension = connection.prepare(
    `insert into hold_extension (hold_id, amount, added_amount, extended_at) values (${marks(4)})`,
  )
  const updateBalance = connection.prepare('update balance set posted = ?, held = ? where account_id = ?')
  const upsertWindow = connection.prepare(
    `insert into budget_window (budget_id, window_start, spent, reserved) values (${marks(4)})
     on conflict (budget_id, window_start) do update set spent = excluded.spent, reserved = excluded.reserved`,
  )
  const upsertLease = connection.prepare(
    `insert into process_lease (process_id, node_name, started_at, lease_until) values (?, '', ?, ?)
     on conflict (process_id) do update set lease_until = excluded.lease_until`,
  )
  return {
    insertHold: (hold: HoldRow): void => {
      insertHold.run(
        hold.holdId,
        hold.accountId,
        hold.keyId,
        hold.teamBudgetId,
        hold.keyBudgetId,
        hold.teamWindowStart,
        hold.keyWindowStart,
        hold.processId,
        hold.type,
        hold.model,
        hold.stream ? 1 : 0,
        hold.limitUnits,
        hold.placedAt,
        hold.state,
        hold.amount,
        hold.endedAt,
        hold.progress,
        hold.firstAmount,
      )
    },
    updateHold: (hold: HoldRow): void =>
      void updateHold.run(hold.amount, hold.firstAmount, hold.state, hold.endedAt, hold.progress, hold.holdId),
    insertExtension: (row: ExtensionRow): void =>
      void insertExtension.run(row.holdId, row.amount, row.added, row.extendedAt),
    updateBalance: (row: BalanceRow): void => void updateBalance.run(row.posted, row.held, row.accountId),
    upsertWindow: ({ budget: { budgetId }, ...row }: WindowRow): void =>
      void upsertWindow.run(budgetId, row.windowStart, row.spent, row.reserved),
    upsertLease: (processId: string, now: number, leaseUntil: number): void =>
      void upsertLease.run(processId, now, leaseUntil),
  }
}
