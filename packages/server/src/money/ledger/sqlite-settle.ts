/** Ends holds on SQLite, also those of which no row is left. PostgreSQL: `ledger_apply` and `ledger_settle_late`. */
import { nanocreditsOf, ZERO } from '@svc/contract/credits'
import type { FaultResult, LedgerOperation, PlacedHold, SettleHold, SettleResult } from './operations.ts'
import { splitCharge, type Settlement } from './settlement.ts'
import { bookRequest, findBalance, findBudget, findHold, findKey, type BatchRows } from './sqlite-batch-rows.ts'
import type { HoldRow } from './sqlite-ledger-rows.ts'
import { payableBeyondHold, spendingLimitsOf, windowAt, type SpendingLimits } from './sqlite-spending-limits.ts'

const FAULT: FaultResult = { kind: 'fault', message: 'no hold of this id was placed' }

/** Ends a hold. Null when no row of it is left: that is settled when everything else of the batch is decided. */
export function settleHold(rows: BatchRows, operation: SettleHold): SettleResult | FaultResult | null {
  const hold = findHold(rows, operation.holdId)
  const balance = hold === null ? null : findBalance(rows, hold.accountId)
  if (hold === null || balance === null) return operation.placed === null ? FAULT : null
  const isCaptured = operation.end === 'captured'
  // A sweep knew of no charge and of no loss: what is learnt of either later takes its place.
  const isRevived = hold.state === 'expired' && (isCaptured || operation.lost > 0n)
  if (hold.state !== 'held' && !isRevived) {
    return { kind: 'already_settled', charge: nanocreditsOf(chargedBefore(rows, hold)) }
  }

  const spending = spendingLimitsOf(rows, hold, balance)
  const freed = isRevived ? 0n : hold.amount
  const isFree = isRevived && isCaptured && wasAskedAnew(rows, operation)
  const settlement = splitCharge(operation, isFree ? 0n : payableBeyondHold(spending, freed))
  take(spending, settlement.charge, freed)
  const createdAt = isRevived ? recordedAt(rows, hold, operation.now) : operation.now
  hold.state = operation.end
  hold.endedAt = operation.now
  hold.progress = null
  hold.isChanged = true
  hold.ending = { ...settlement, facts: operation.facts, createdAt }
  bookRequest(rows, hold)
  return settledBy(settlement, false)
}

/** Settles by the id of a hold of which no row is left: the account pays, and nothing is freed. */
export function settleLate(rows: BatchRows, operation: LedgerOperation): SettleResult | FaultResult {
  const placed = operation.kind === 'settle' ? operation.placed : null
  if (operation.kind !== 'settle' || placed === null) return FAULT
  // An operation of the same batch may have made it meanwhile.
  const present = settleHold(rows, operation)
  if (present !== null) return present
  const { holdId, charge, cost, end, now, facts } = operation
  const before = rows.store.findUsage(holdId)?.charge ?? rows.store.findCharge(holdId)
  if (before !== null) return { kind: 'already_settled', charge: nanocreditsOf(before) }
  // Free, and its record is in a file of the archive.
  if (rows.store.isArchived(holdId)) return { kind: 'already_settled', charge: ZERO }
  if (charge === 0n && cost === 0n && end !== 'captured') return { kind: 'already_settled', charge: ZERO }
  const balance = findBalance(rows, placed.accountId)
  const key = findKey(rows, placed.keyId)
  if (balance === null || key === null) return { kind: 'unknown_caller', charge: ZERO }

  const budgets = rows.store.findBudgetsOf(placed.keyId)
  const spending: SpendingLimits = {
    balance,
    team: budgets.team === null ? null : windowAt(rows, findBudget(rows, budgets.team), placed.placedAt),
    key: budgets.key === null ? null : windowAt(rows, findBudget(rows, budgets.key), placed.placedAt),
  }
  const hold = lostHold(operation, placed, spending)
  const available = balance.posted - balance.held
  const isFree = end === 'captured' && wasAskedAnew(rows, operation)
  const settlement = splitCharge(operation, available > 0n && !isFree ? available : 0n)
  take(spending, settlement.charge, 0n)
  hold.ending = { ...settlement, facts, createdAt: now }
  rows.holds.set(holdId, hold)
  bookRequest(rows, hold)
  return settledBy(settlement, true)
}

/**
 * Whether another request was worked on meanwhile under the Idempotency-Key of one that is charged late. Where none
 * was, the name stays with this one: a repeated request reads that it was charged.
 */
function wasAskedAnew({ store }: BatchRows, { holdId, placed }: SettleHold): boolean {
  const name = placed?.name ?? null
  if (placed === null || name === null) return false
  store.keepName(name, holdId, placed.processId)
  return store.findNamed(name) !== holdId
}

/** The row of a hold that is gone, as it is written again: it holds nothing and has ended. */
function lostHold({ holdId, end, now }: SettleHold, placed: PlacedHold, { team, key }: SpendingLimits): HoldRow {
  const { accountId, keyId, processId, type, model, stream, placedAt } = placed
  return {
    ...{ holdId, accountId, keyId, processId, type, model, stream, placedAt },
    teamBudgetId: team?.budget.budgetId ?? null,
    keyBudgetId: key?.budget.budgetId ?? null,
    teamWindowStart: team?.windowStart ?? null,
    keyWindowStart: key?.windowStart ?? null,
    ...{ limitUnits: null, storedState: null, amount: 0n, firstAmount: null, state: end, endedAt: now },
    ...{ progress: null, isChanged: true, ending: null },
  }
}

function take({ balance, team, key }: SpendingLimits, charge: bigint, freed: bigint): void {
  balance.posted -= charge
  balance.held -= freed
  balance.isChanged = true
  for (const window of [team, key]) {
    if (window === null) continue
    window.spent += charge
    // A deleted row counts anew: it must not keep the hold from its end.
    window.reserved = window.reserved > freed ? window.reserved - freed : 0n
    window.isChanged = true
  }
}

function settledBy({ charge, writeOff }: Settlement, isLate: boolean): SettleResult {
  return { kind: 'settled', charge: nanocreditsOf(charge), writeOff: nanocreditsOf(writeOff), isLate }
}

function chargedBefore(rows: BatchRows, hold: HoldRow): bigint {
  return hold.ending?.charge ?? rows.store.findUsage(hold.holdId)?.charge ?? 0n
}

function recordedAt(rows: BatchRows, hold: HoldRow, now: number): number {
  return hold.ending?.createdAt ?? rows.store.findUsage(hold.holdId)?.createdAt ?? now
}
