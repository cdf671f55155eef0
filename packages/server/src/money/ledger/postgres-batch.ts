/**
 * How a batch crosses to the function `ledger_apply` and how its results come back: one JSON text each way.
 *
 * Ids are sent once and referred to by position, and the starts of budget periods are computed here, so that the
 * function has little to do but arithmetic. Amounts are text, since JSON numbers are not exact.
 */
import { nanocreditsOf, type Nanocredits } from '@svc/contract'
import { InvariantError } from '../../platform/errors/invariant-error.ts'
import { periodStart } from '../../platform/runtime/budget-period.ts'
import { formatHoldProgress } from './hold-progress.ts'
import { holdFor } from './hold-size.ts'
import type { CreditDeposit, RecordCredit } from './credit-operations.ts'
import type {
  ExtendResult,
  LedgerOperation,
  LedgerResult,
  PlacedHold,
  PlaceHold,
  PlaceResult,
  SettleHold,
  SpendLimit,
} from './operations.ts'

/** Writes a batch as the function's argument. */
export function formatPostgresBatch(operations: readonly LedgerOperation[]): string {
  const ids = noIds()
  const rows = operations.map((operation) => rowFrom(ids, operation))
  return JSON.stringify({
    operations: rows,
    holds: [...ids.holds.keys()],
    accounts: [...ids.accounts.keys()],
    budgets: [...ids.budgets.keys()],
    keys: [...ids.keys.keys()],
    starts: [...ids.starts],
  })
}

interface BatchIds {
  readonly holds: Map<string, number>
  readonly accounts: Map<string, number>
  readonly budgets: Map<string, number>
  readonly keys: Map<string, number>
  /** When the periods begin in which holds are placed. */
  readonly starts: Set<number>
}

function noIds(): BatchIds {
  return { holds: new Map(), accounts: new Map(), budgets: new Map(), keys: new Map(), starts: new Set([0]) }
}

/** Positions count from 1, as SQL arrays do. */
function positionOf(ids: Map<string, number>, id: string): number {
  const known = ids.get(id)
  if (known !== undefined) return known
  const position = ids.size + 1
  ids.set(id, position)
  return position
}

function rowFrom(ids: BatchIds, operation: LedgerOperation): Record<string, unknown> {
  switch (operation.kind) {
    case 'place':
      return placeRowFrom(ids, operation)
    case 'extend':
      return {
        kind: 'extend',
        hold: positionOf(ids.holds, operation.holdId),
        fixed: operation.fixed.toString(),
        per_unit: operation.perUnit.toString(),
        units: operation.targetUnits,
        now: operation.now,
      }
    case 'settle':
      return settleRowFrom(ids, operation)
    case 'credit':
      return creditRowFrom(ids, operation)
    case 'deposit':
      throw new InvariantError('a deposit is a call of its own')
    case 'journal':
      return {
        kind: 'journal',
        process: operation.processId,
        lease_until: operation.leaseUntil,
        now: operation.now,
        entries: operation.entries.map((entry) => [positionOf(ids.holds, entry.holdId), formatHoldProgress(entry)]),
      }
  }
}

function placeRowFrom(ids: BatchIds, operation: PlaceHold): Record<string, unknown> {
  const { fixed, perUnit, units, teamBudgetId, keyBudgetId, now } = operation
  const starts = {
    day: periodStart('daily', now),
    week: periodStart('weekly', now),
    month: periodStart('monthly', now),
  }
  for (const start of Object.values(starts)) ids.starts.add(start)
  return {
    kind: 'place',
    hold: positionOf(ids.holds, operation.holdId),
    account: positionOf(ids.accounts, operation.accountId),
    key: positionOf(ids.keys, operation.keyId),
    team: teamBudgetId === null ? null : positionOf(ids.budgets, teamBudgetId),
    budget: keyBudgetId === null ? null : positionOf(ids.budgets, keyBudgetId),
    process: operation.processId,
    type: operation.type,
    model: operation.model,
    stream: operation.stream ? 1 : 0,
    fixed: fixed.toString(),
    per_unit: perUnit.toString(),
    units,
    full_amount: holdFor(fixed, perUnit, units).toString(),
    policy: operation.policy,
    first_units: operation.firstUnits,
    now,
    ...starts,
  }
}

function settleRowFrom(
  ids: BatchIds,
  { holdId, end, charge, cost, lost, most, now, facts, placed }: SettleHold,
): Record<string, unknown> {
  const name = placed?.name ?? null
  return {
    kind: 'settle',
    hold: positionOf(ids.holds, holdId),
    outcome: end,
    charge: charge.toString(),
    cost: cost.toString(),
    lost: lost.toString(),
    ...(most === undefined ? {} : { most: most.toString() }),
    now,
    ...(name === null ? {} : { name: { ...name, processId: placed?.processId } }),
    upstream: facts.upstream,
    upstream_model: facts.upstreamModel,
    status: facts.status,
    error_code: facts.errorCode,
    prompt_tokens: facts.promptTokens,
    completion_tokens: facts.completionTokens,
    cached_tokens: facts.cachedTokens,
    reasoning_tokens: facts.reasoningTokens,
    basis: facts.basis,
    estimated: facts.estimated ? 1 : 0,
    pricing: facts.pricing,
    generation_id: facts.generationId,
    latency_ms: facts.latencyMs,
  }
}

/** Writes the argument of the function `ledger_settle_late`. */
export function formatLateSettlement(operation: SettleHold, placed: PlacedHold): string {
  const { placedAt } = placed
  return JSON.stringify({
    ...settleRowFrom(noIds(), operation),
    id: operation.holdId,
    account_id: placed.accountId,
    key_id: placed.keyId,
    process: placed.processId,
    type: placed.type,
    model: placed.model,
    stream: placed.stream ? 1 : 0,
    placed_at: placedAt,
    day: periodStart('daily', placedAt),
    week: periodStart('weekly', placedAt),
    month: periodStart('monthly', placedAt),
  })
}

function creditRowFrom(ids: BatchIds, operation: RecordCredit): Record<string, unknown> {
  return {
    kind: 'credit',
    id: operation.transferId,
    account: positionOf(ids.accounts, operation.accountId),
    source: operation.source,
    amount: operation.amount.toString(),
    reason: operation.reason,
    ...(operation.operatorId === undefined ? {} : { operator: operation.operatorId }),
    now: operation.now,
  }
}

/** Writes the argument of the function `ledger_deposit`. */
export function formatPostgresDeposit(operation: CreditDeposit): string {
  return JSON.stringify({
    chain: operation.chainId,
    tx: operation.txHash,
    ordinal: operation.ordinal,
    block: operation.blockHash,
    amount: operation.amount.toString(),
    inflow: operation.inflow?.amount.toString() ?? null,
    inflow_block: operation.inflow?.blockNumber ?? null,
    reason: operation.reason,
    now: operation.now,
  })
}

/** Reads the result of a function that applies one operation. */
export function parsePostgresResult(text: string): LedgerResult {
  // As above: the function is part of our own schema.
  return resultFrom(JSON.parse(text) as ResultRow)
}

/** Reads the results that the function returned. Null means a settlement whose hold is gone. */
export function parsePostgresResults(text: string): readonly (LedgerResult | null)[] {
  // The function is part of our own schema; its answer has this form or the deployment is broken.
  return (JSON.parse(text) as readonly ResultRow[]).map((row) => (row[0] === 'gone' ? null : resultFrom(row)))
}

type ResultRow = readonly [kind: string, ...values: (string | number | null)[]]

function resultFrom([kind, first, second, third, fourth, fifth]: ResultRow): LedgerResult {
  switch (kind) {
    case 'placed':
      return {
        kind,
        amount: amountFrom(first),
        units: Number(second),
        limitUnits: third == null ? null : Number(third),
      }
    case 'insufficient':
      return {
        kind,
        limit: first as SpendLimit,
        required: amountFrom(second),
        available: amountFrom(third),
        affordableUnits: Number(fourth),
      }
    case 'refused':
      return { kind, reason: first as RefusalReason }
    case 'extended':
      return { kind, amount: amountFrom(first), units: Number(second) }
    case 'settled':
      return { kind, charge: amountFrom(first), writeOff: amountFrom(second), isLate: third === 1 }
    case 'already_settled':
    case 'unknown_caller':
      return { kind, charge: amountFrom(first) }
    case 'credited':
    case 'already_credited':
      return { kind, posted: amountFrom(first) }
    case 'id_taken':
      return {
        kind,
        by: {
          accountId: String(first),
          kind: String(second),
          amount: amountFrom(third),
          reason: fourth == null ? null : String(fourth),
        },
      }
    case 'too_large':
      return { kind, most: amountFrom(first) }
    case 'insufficient_credit':
      return { kind: 'insufficient', available: amountFrom(first) }
    case 'deposited':
      return {
        kind,
        depositId: String(first),
        accountId: String(second),
        credits: amountFrom(third),
        posted: amountFrom(fourth),
        isRepeated: fifth === 1,
      }
    case 'not_creditable':
      return { kind, state: String(first) }
    case 'exceeds_inflow':
      return { kind, inflow: BigInt(first ?? 0), credited: BigInt(second ?? 0) }
    case 'unknown_deposit':
    case 'unknown_account':
    case 'not_operator':
    case 'journaled':
      return { kind }
    case 'fault':
      return { kind, message: String(first) }
    default:
      throw new InvariantError(`ledger_apply answered ${kind}`)
  }
}

type RefusalReason = Extract<PlaceResult | ExtendResult, { kind: 'refused' }>['reason'] & 'key_revoked'

function amountFrom(value: string | number | null | undefined): Nanocredits {
  return nanocreditsOf(BigInt(value ?? 0))
}
