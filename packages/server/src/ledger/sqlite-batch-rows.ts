import { dayOf } from './budget-window.ts'
import type { CreditDeposit } from './operations.ts'
import type {
  BalanceRow,
  BudgetRow,
  CreditRow,
  DailyRow,
  DepositRow,
  HoldEnding,
  HoldRow,
  KeyRow,
} from './sqlite-ledger-rows.ts'
import type { SqliteLedgerStore } from './sqlite-ledger-store.ts'

/** The rows that one batch touches. Each is read once, when first asked for. */
export interface BatchRows {
  readonly store: SqliteLedgerStore
  readonly balances: Map<string, BalanceRow | null>
  readonly budgets: Map<string, BudgetRow | null>
  readonly keys: Map<string, KeyRow | null>
  readonly holds: Map<string, HoldRow | null>
  readonly credits: Map<string, CreditRow>
  /** By chain, transaction and ordinal. */
  readonly deposits: Map<string, DepositRow | null>
}

/** An empty set of rows for a batch. */
export function createBatchRows(store: SqliteLedgerStore): BatchRows {
  return {
    store,
    balances: new Map(),
    budgets: new Map(),
    keys: new Map(),
    holds: new Map(),
    credits: new Map(),
    deposits: new Map(),
  }
}

/** Finds a balance, or null when there is no such account. */
export function findBalance(rows: BatchRows, accountId: string): BalanceRow | null {
  return findOnce(rows.balances, accountId, rows.store.findBalance)
}

/** Finds a budget, or null when there is none of that id. */
export function findBudget(rows: BatchRows, budgetId: string): BudgetRow | null {
  return findOnce(rows.budgets, budgetId, rows.store.findBudget)
}

/** Finds a key, or null when there is none of that id. */
export function findKey(rows: BatchRows, keyId: string): KeyRow | null {
  return findOnce(rows.keys, keyId, rows.store.findKey)
}

/** Finds a hold, or null when none was placed under that id. */
export function findHold(rows: BatchRows, holdId: string): HoldRow | null {
  return findOnce(rows.holds, holdId, rows.store.findHold)
}

/** Finds a deposit by its natural key, or null when none was recorded. */
export function findDeposit(
  rows: BatchRows,
  { chainId, txHash, ordinal }: Pick<CreditDeposit, 'chainId' | 'txHash' | 'ordinal'>,
): DepositRow | null {
  return findOnce(rows.deposits, `${chainId} ${txHash} ${ordinal}`, () =>
    rows.store.findDeposit(chainId, txHash, ordinal),
  )
}

function findOnce<Row>(known: Map<string, Row | null>, id: string, find: (id: string) => Row | null): Row | null {
  const row = known.get(id)
  if (row !== undefined) return row
  const found = find(id)
  known.set(id, found)
  return found
}

/**
 * Writes everything that the batch changed. The order satisfies the foreign keys, and lets the usage record of an
 * expired hold be
 * replaced while its hold is still expired.
 */
export function writeBatchRows(rows: BatchRows): void {
  const { store } = rows
  const ended: { readonly hold: HoldRow; readonly ending: HoldEnding }[] = []
  const daily = new Map<string, DailyRow>()
  for (const hold of rows.holds.values()) {
    if (hold === null || !hold.isChanged) continue
    const { ending } = hold
    if (ending !== null) {
      countDaily(rows, daily, hold, ending)
      if (hold.storedState === 'expired') store.updateUsage(hold, ending)
      ended.push({ hold, ending })
    }
    if (hold.storedState === null) store.insertHold(hold)
    else store.updateHold(hold)
  }
  for (const { hold, ending } of ended) {
    if (ending.charge > 0n || ending.writeOff > 0n) store.insertSettlement(hold, ending)
    if (hold.storedState !== 'expired') store.insertUsage(hold, findKey(rows, hold.keyId)?.teamId ?? null, ending)
  }
  for (const row of rows.credits.values()) store.insertCredit(row)
  for (const row of rows.deposits.values()) if (row?.creditedAt != null) store.updateDeposit(row)
  for (const row of daily.values()) store.upsertDaily(row)
  for (const row of rows.balances.values()) if (row?.isChanged === true) store.updateBalance(row)
  for (const row of rows.budgets.values()) if (row?.isChanged === true) store.updateBudget(row)
}

function countDaily(rows: BatchRows, daily: Map<string, DailyRow>, hold: HoldRow, ending: HoldEnding): void {
  const day = dayOf(hold.placedAt)
  const name = `${hold.keyId} ${day} ${hold.type} ${hold.model}`
  let total = daily.get(name)
  if (total === undefined) {
    const { keyId, type, model, accountId } = hold
    total = { keyId, day, type, model, accountId, requests: 0, charge: 0n, promptTokens: 0, completionTokens: 0 }
    daily.set(name, total)
  }
  const replaced = hold.storedState === 'expired' ? rows.store.findUsage(hold.holdId) : null
  total.requests += replaced === null ? 1 : 0
  total.charge += ending.charge - (replaced?.charge ?? 0n)
  total.promptTokens += (ending.facts.promptTokens ?? 0) - (replaced?.promptTokens ?? 0)
  total.completionTokens += (ending.facts.completionTokens ?? 0) - (replaced?.completionTokens ?? 0)
}
