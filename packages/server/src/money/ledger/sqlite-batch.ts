/**
 * Applies a batch of money operations on SQLite, inside one transaction.
 *
 * Each operation is decided by conditions on rows in memory, so none can fail the others. The PostgreSQL function
 * `ledger_apply` decides the same; one random test drives both and compares every table.
 */
import { nanocreditsOf } from '@svc/contract/credits'
import { formatHoldProgress } from './hold-progress.ts'
import { AMOUNT_MAX, holdFor, sizeHold, unitsFor } from './hold-size.ts'
import type { CreditResult, RecordCredit } from './credit-operations.ts'
import type {
  ExtendHold,
  ExtendResult,
  JournalHolds,
  JournalResult,
  LedgerOperation,
  LedgerResult,
  PlaceHold,
  PlaceResult,
} from './operations.ts'
import type { LoggedBatch } from './logged-batch.ts'
import {
  bookCredit,
  createBatchRows,
  createKnownRows,
  findBalance,
  findBudget,
  findHold,
  findKey,
  forgetRows,
  rememberRows,
  noteForLog,
  writeBatchRows,
  type BatchRows,
} from './sqlite-batch-rows.ts'
import { creditDeposit } from './sqlite-credit-deposit.ts'
import type { BalanceRow, HoldRow } from './sqlite-ledger-rows.ts'
import type { SqliteLedgerStore } from './sqlite-ledger-store.ts'
import { tightestLimit, spendingLimitsOf, windowAt, type SpendingLimits } from './sqlite-spending-limits.ts'
import { settleHold, settleLate } from './sqlite-settle.ts'

/** Applies batches on one connection, each in a transaction that the caller owns. */
export interface SqliteBatches {
  /** Applies operations in order and answers in the same order. */
  apply(operations: readonly LedgerOperation[]): readonly LedgerResult[]
  /** To be called when a batch was not written after all, and when this connection has written anything else. */
  forget(): void
}

/** Told what a batch has booked before it is committed: it counts once its row is there. */
type OnLogged = (logged: LoggedBatch) => void

/** What batches leave for the ledger log. */
export interface LogNotes {
  /** Whether what a batch has booked is noted for it; where not, no log can be kept of these books. */
  readonly isLogged: boolean
  /** Told of each batch that is noted. */
  readonly onLogged?: OnLogged | undefined
}

export const LOGGED: LogNotes = { isLogged: true }

/**
 * Makes the way of batches to a connection. Rows that one batch has written are known to the next, as long as no other
 * process else writes: the database's own count of foreign commits tells, inside the transaction that locks all others
 * out.
 */
export function createSqliteBatches(store: SqliteLedgerStore, notes: LogNotes): SqliteBatches {
  const known = createKnownRows()
  let version = store.foreignCommits()
  const forget = (): void => forgetRows(known)
  return {
    apply: (operations) => {
      const present = store.foreignCommits()
      if (present !== version) forget()
      version = present
      const rows = createBatchRows(store, known)
      const results = operations.map((operation) => applyOperation(rows, operation))
      const settled = operations.map((operation, index) => results[index] ?? settleLate(rows, operation))
      writeBatchRows(rows)
      const logged = notes.isLogged ? noteForLog(rows) : null
      if (logged !== null) notes.onLogged?.(logged)
      rememberRows(rows)
      return settled
    },
    forget,
  }
}

/** Null for a settlement whose hold is gone. */
function applyOperation(rows: BatchRows, operation: LedgerOperation): LedgerResult | null {
  switch (operation.kind) {
    case 'place':
      return placeHold(rows, operation)
    case 'extend':
      return extendHold(rows, operation)
    case 'settle':
      return settleHold(rows, operation)
    case 'credit':
      return recordCredit(rows, operation)
    case 'deposit':
      return creditDeposit(rows, operation)
    case 'journal':
      return journalHolds(rows, operation)
  }
}

function placeHold(rows: BatchRows, operation: PlaceHold): PlaceResult {
  const known = findHold(rows, operation.holdId)
  if (known !== null) return placedBefore(known, operation)

  const balance = findBalance(rows, operation.accountId)
  const reason = findRefusal(rows, operation, balance)
  const team = operation.teamBudgetId === null ? null : findBudget(rows, operation.teamBudgetId)
  const key = operation.keyBudgetId === null ? null : findBudget(rows, operation.keyBudgetId)
  if (reason !== null) return { kind: 'refused', reason }
  if (balance === null) return { kind: 'refused', reason: 'account_suspended' }
  if ((team === null) !== (operation.teamBudgetId === null) || (key === null) !== (operation.keyBudgetId === null)) {
    return { kind: 'refused', reason: 'key_revoked' }
  }

  const spending: SpendingLimits = {
    balance,
    team: windowAt(rows, team, operation.now),
    key: windowAt(rows, key, operation.now),
  }
  const least = tightestLimit(spending)
  const size = sizeHold(operation, least.available)
  if (size === null) {
    const { fixed, perUnit, units, policy } = operation
    const required = holdFor(fixed, perUnit, policy === 'exact' ? units : 1)
    return {
      kind: 'insufficient',
      limit: least.limit,
      required: nanocreditsOf(required),
      available: nanocreditsOf(least.available),
      affordableUnits: perUnit === 0n ? 0 : unitsFor(least.available, fixed, perUnit, units),
    }
  }
  reserve(spending, size.amount)
  rows.holds.set(operation.holdId, newHold(operation, spending, size.amount, size.limitUnits))
  return { kind: 'placed', amount: nanocreditsOf(size.amount), units: size.units, limitUnits: size.limitUnits }
}

function placedBefore(hold: HoldRow, operation: PlaceHold): PlaceResult {
  const units = unitsFor(hold.amount, operation.fixed, operation.perUnit, operation.units)
  return { kind: 'placed', amount: nanocreditsOf(hold.amount), units, limitUnits: hold.limitUnits }
}

function newHold(
  operation: PlaceHold,
  { team, key }: SpendingLimits,
  amount: bigint,
  limitUnits: number | null,
): HoldRow {
  return {
    holdId: operation.holdId,
    accountId: operation.accountId,
    keyId: operation.keyId,
    teamBudgetId: operation.teamBudgetId,
    keyBudgetId: operation.keyBudgetId,
    teamWindowStart: team?.windowStart ?? null,
    keyWindowStart: key?.windowStart ?? null,
    processId: operation.processId,
    type: operation.type,
    model: operation.model,
    stream: operation.stream,
    limitUnits,
    placedAt: operation.now,
    storedState: null,
    amount,
    firstAmount: null,
    state: 'held',
    endedAt: null,
    progress: null,
    isChanged: true,
    ending: null,
  }
}

type Refusal = 'key_revoked' | 'key_expired' | 'account_suspended'

function findRefusal(
  rows: BatchRows,
  caller: { readonly keyId: string; readonly accountId: string; readonly now: number },
  balance: BalanceRow | null,
): Refusal | null {
  const key = findKey(rows, caller.keyId)
  if (key === null || key.isRevoked || key.accountId !== caller.accountId) return 'key_revoked'
  if (key.expiresAt !== null && key.expiresAt <= caller.now) return 'key_expired'
  return balance?.isActive === true ? null : 'account_suspended'
}

function reserve({ balance, team, key }: SpendingLimits, amount: bigint): void {
  balance.held += amount
  balance.isChanged = true
  for (const budget of [team, key]) {
    if (budget === null) continue
    budget.reserved += amount
    budget.isChanged = true
  }
}

function extendHold(rows: BatchRows, operation: ExtendHold): ExtendResult {
  const hold = findHold(rows, operation.holdId)
  if (hold === null || hold.state !== 'held') return { kind: 'refused', reason: 'hold_ended' }
  const balance = findBalance(rows, hold.accountId)
  const caller = { keyId: hold.keyId, accountId: hold.accountId, now: operation.now }
  const reason = findRefusal(rows, caller, balance)
  if (reason !== null || balance === null) return { kind: 'refused', reason: reason ?? 'account_suspended' }

  const { fixed, perUnit, targetUnits } = operation
  const spending = spendingLimitsOf(rows, hold, balance)
  const payable = hold.amount + tightestLimit(spending).available
  const affordable = holdFor(fixed, perUnit, unitsFor(payable, fixed, perUnit, targetUnits))
  if (affordable > hold.amount && affordable <= payable) {
    const added = affordable - hold.amount
    reserve(spending, added)
    rows.extensions.push({ holdId: hold.holdId, amount: affordable, added, extendedAt: operation.now })
    hold.firstAmount ??= hold.amount
    hold.amount = affordable
    hold.isChanged = true
  }
  const units = unitsFor(hold.amount, fixed, perUnit, targetUnits)
  return { kind: 'extended', amount: nanocreditsOf(hold.amount), units }
}

function recordCredit(rows: BatchRows, operation: RecordCredit): CreditResult {
  const { transferId, accountId, amount, source, reason, operatorId, now } = operation
  if (operatorId !== undefined && !rows.store.isOperator(operatorId)) return { kind: 'not_operator' }
  const balance = findBalance(rows, accountId)
  if (balance === null) return { kind: 'unknown_account' }
  const before = rows.credits.get(transferId) ?? rows.store.findTransfer(transferId)
  if (before !== null) {
    const { kind, ...was } = before
    const isSame = kind === source && was.accountId === accountId && was.amount === amount && was.reason === reason
    if (isSame) return { kind: 'already_credited', posted: nanocreditsOf(balance.posted) }
    const by = { accountId: was.accountId, kind, amount: nanocreditsOf(was.amount), reason: was.reason }
    return { kind: 'id_taken', by }
  }
  const available = balance.posted - balance.held
  if (available + amount < 0n) return { kind: 'insufficient', available: nanocreditsOf(available) }
  if (balance.posted + amount > AMOUNT_MAX) return { kind: 'too_large', most: nanocreditsOf(AMOUNT_MAX) }
  balance.posted += amount
  balance.isChanged = true
  bookCredit(rows, { transferId, accountId, kind: source, amount, reason, createdAt: now })
  return { kind: 'credited', posted: nanocreditsOf(balance.posted) }
}

function journalHolds(rows: BatchRows, operation: JournalHolds): JournalResult {
  rows.store.upsertLease(operation.processId, operation.now, operation.leaseUntil)
  for (const entry of operation.entries) {
    const hold = findHold(rows, entry.holdId)
    if (hold === null || hold.state !== 'held' || hold.processId !== operation.processId) continue
    hold.progress = formatHoldProgress(entry)
    hold.isChanged = true
  }
  return { kind: 'journaled' }
}
