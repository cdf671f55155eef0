import { dayOf } from './budget-window.ts'
import type { CreditDeposit } from './credit-operations.ts'
import { type Booked, entryOf, type EndedRequest, type LoggedBatch } from './logged-batch.ts'
import { InvariantError } from '../../platform/errors/invariant-error.ts'
import type {
  BalanceRow,
  BudgetRow,
  CreditRow,
  DailyRow,
  DepositRow,
  ExtensionRow,
  HoldEnding,
  HoldRow,
  InflowRow,
  KeyRow,
  WindowRow,
} from './sqlite-ledger-rows.ts'
import type { SqliteLedgerStore } from './sqlite-ledger-store.ts'

/** Rows as the last batches left them, so that the next one need not read them again. */
export interface KnownRows {
  readonly balances: Map<string, BalanceRow>
  readonly budgets: Map<string, BudgetRow>
  /** By budget and start. */
  readonly windows: Map<string, WindowRow>
  readonly keys: Map<string, KeyRow>
  /** Holds that have not ended. */
  readonly holds: Map<string, HoldRow>
}

/** Rows of one kind that are known at most. Beyond it all are forgotten, which costs a read each. */
const KNOWN_MAX = 20_000

/** No rows yet. */
export function createKnownRows(): KnownRows {
  return { balances: new Map(), budgets: new Map(), windows: new Map(), keys: new Map(), holds: new Map() }
}

/** Forgets every row: another process may have written, or a batch was not written after all. */
export function forgetRows(known: KnownRows): void {
  for (const rows of Object.values(known)) rows.clear()
}

/** The rows that one batch touches. Each is read once, when first asked for and not known already. */
export interface BatchRows {
  readonly store: SqliteLedgerStore
  readonly known: KnownRows
  readonly balances: Map<string, BalanceRow | null>
  readonly budgets: Map<string, BudgetRow | null>
  /** By budget and start. */
  readonly windows: Map<string, WindowRow | null>
  readonly keys: Map<string, KeyRow | null>
  readonly holds: Map<string, HoldRow | null>
  readonly extensions: ExtensionRow[]
  readonly credits: Map<string, CreditRow>
  /** By chain, transaction and ordinal. */
  readonly deposits: Map<string, DepositRow | null>
  /** By chain, address and asset. */
  readonly inflows: Map<string, InflowRow>
  /** Entries for the ledger log by name, in the order in which they were booked. */
  readonly booked: Map<string, HoldRow | CreditRow>
}

/** An empty set of rows for a batch. */
export function createBatchRows(store: SqliteLedgerStore, known: KnownRows): BatchRows {
  return {
    ...{ store, known, balances: new Map(), budgets: new Map(), windows: new Map(), keys: new Map() },
    ...{ holds: new Map(), extensions: [], credits: new Map(), deposits: new Map(), inflows: new Map() },
    booked: new Map(),
  }
}

/** Finds a balance, or null when there is no such account. */
export function findBalance(rows: BatchRows, accountId: string): BalanceRow | null {
  return findOnce(rows.balances, rows.known.balances, accountId, rows.store.findBalance)
}

/** Finds a budget, or null when there is none of that id. */
export function findBudget(rows: BatchRows, budgetId: string): BudgetRow | null {
  return findOnce(rows.budgets, rows.known.budgets, budgetId, rows.store.findBudget)
}

/** Finds what a budget has counted in the period that began at `windowStart`; nothing where no hold was in it yet. */
export function findWindow(rows: BatchRows, budget: BudgetRow, windowStart: number): WindowRow {
  const name = `${budget.budgetId} ${windowStart}`
  const find = (): WindowRow => {
    const counted = rows.store.findWindow(budget.budgetId, windowStart)
    return { budget, windowStart, ...counted, isChanged: false }
  }
  return findOnce(rows.windows, rows.known.windows, name, find) ?? find()
}

/** Finds a key, or null when there is none of that id. */
export function findKey(rows: BatchRows, keyId: string): KeyRow | null {
  return findOnce(rows.keys, rows.known.keys, keyId, rows.store.findKey)
}

/** Finds a hold, or null when none was placed under that id. */
export function findHold(rows: BatchRows, holdId: string): HoldRow | null {
  return findOnce(rows.holds, rows.known.holds, holdId, rows.store.findHold)
}

/** Notes that a request has ended, for the ledger log. One that had expired before is corrected. */
export function bookRequest({ booked }: BatchRows, hold: HoldRow): void {
  const entry = entryOf(hold.storedState === 'expired' ? 'correction' : 'request', hold.holdId)
  // What ended twice in one batch is booked as it ended last.
  booked.delete(entry)
  booked.set(entry, hold)
}

/** Books a credit. */
export function bookCredit(rows: BatchRows, credit: CreditRow): void {
  rows.credits.set(credit.transferId, credit)
  rows.booked.set(entryOf('transfer', credit.transferId), credit)
}

/** Finds a deposit by its natural key, or null when none was recorded. */
export function findDeposit(
  rows: BatchRows,
  { chainId, txHash, ordinal }: Pick<CreditDeposit, 'chainId' | 'txHash' | 'ordinal'>,
): DepositRow | null {
  const find = (): DepositRow | null => rows.store.findDeposit(chainId, txHash, ordinal)
  return findOnce(rows.deposits, null, `${chainId} ${txHash} ${ordinal}`, find)
}

/** Finds what came to the address of a deposit, and what was credited for it; nothing where none was before. */
export function findInflow(rows: BatchRows, { chainId, address, asset }: DepositRow): InflowRow {
  const name = `${chainId} ${address} ${asset}`
  const row = rows.inflows.get(name) ?? rows.store.findInflow(chainId, address, asset)
  rows.inflows.set(name, row)
  return row
}

function findOnce<Row>(
  touched: Map<string, Row | null>,
  known: ReadonlyMap<string, Row> | null,
  id: string,
  find: (id: string) => Row | null,
): Row | null {
  const row = touched.get(id)
  if (row !== undefined) return row
  const found = known?.get(id) ?? find(id)
  touched.set(id, found)
  return found
}

/** Makes what this batch has written what the next one finds. Holds that have ended are seldom asked for again. */
export function rememberRows(rows: BatchRows): void {
  const { known } = rows
  for (const [id, row] of rows.keys) if (row !== null) known.keys.set(id, row)
  for (const [id, row] of rows.budgets) if (row !== null) known.budgets.set(id, row)
  for (const kind of ['balances', 'windows'] as const) {
    const kept = known[kind] as Map<string, BalanceRow | WindowRow>
    for (const [id, row] of rows[kind]) {
      if (row === null) continue
      row.isChanged = false
      kept.set(id, row)
    }
  }
  for (const [id, hold] of rows.holds) {
    if (hold?.state !== 'held') known.holds.delete(id)
    else {
      hold.isChanged = false
      hold.storedState = 'held'
      known.holds.set(id, hold)
    }
  }
  for (const kept of Object.values(known)) if (kept.size > KNOWN_MAX) kept.clear()
}

/**
 * Writes everything that the batch changed. The order satisfies the foreign keys, and lets the usage record of an
 * expired hold be replaced while its hold is still expired.
 */
export function writeBatchRows(rows: BatchRows): void {
  const { store } = rows
  const ended: EndedRequest[] = []
  const daily = new Map<string, DailyRow>()
  for (const hold of rows.holds.values()) {
    if (hold === null || !hold.isChanged) continue
    const { ending } = hold
    if (ending !== null) {
      countDaily(rows, daily, hold, ending)
      if (hold.storedState === 'expired') store.updateUsage(hold, ending)
      ended.push({ hold, ending, teamId: findKey(rows, hold.keyId)?.teamId ?? null })
    }
    if (hold.storedState === null) store.insertHold(hold)
    else store.updateHold(hold)
  }
  for (const extension of rows.extensions) store.insertExtension(extension)
  for (const { hold, ending, teamId } of ended) {
    if (ending.charge > 0n || ending.writeOff > 0n) store.insertSettlement(hold, ending)
    if (hold.storedState !== 'expired') store.insertUsage(hold, teamId, ending)
  }
  for (const row of rows.credits.values()) store.insertCredit(row)
  for (const row of rows.deposits.values()) if (row?.creditedAt != null) store.updateDeposit(row)
  for (const row of rows.inflows.values()) if (row.revision !== null) store.upsertInflow(row, row.revision)
  for (const row of daily.values()) store.upsertDaily(row)
  for (const row of rows.balances.values()) if (row?.isChanged === true) store.updateBalance(row)
  for (const row of rows.windows.values()) if (row?.isChanged === true) store.upsertWindow(row)
}

/** Leaves word for the ledger log, which puts down later what this batch has booked. Null where that is nothing. */
export function noteForLog(rows: BatchRows): LoggedBatch | null {
  if (rows.booked.size === 0) return null
  const entries = JSON.stringify([...rows.booked.keys()])
  const booked = Array.from(rows.booked.values(), (row) => bookedOf(rows, row))
  return { pendingId: rows.store.insertPending(entries), entries, booked }
}

function bookedOf(rows: BatchRows, row: HoldRow | CreditRow): Booked {
  if ('transferId' in row) return row
  const { ending } = row
  if (ending === null) throw new InvariantError('A request was booked that has not ended')
  return { hold: row, ending, teamId: findKey(rows, row.keyId)?.teamId ?? null }
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
