/**
 * Rows of the ledger as the SQLite writer works on them: loaded once per batch, changed in memory, written once at its
 * end.
 */
import type { BudgetPeriod } from '../../platform/runtime/budget-period.ts'
import type { UsageFacts } from './operations.ts'
import type { Settlement } from './settlement.ts'

export interface BalanceRow {
  readonly accountId: string
  posted: bigint
  held: bigint
  readonly isActive: boolean
  isChanged: boolean
}

export interface BudgetRow {
  readonly budgetId: string
  readonly limit: bigint | null
  readonly period: BudgetPeriod
}

/** What a budget has counted in one of its periods. */
export interface WindowRow {
  readonly budget: BudgetRow
  readonly windowStart: number
  spent: bigint
  reserved: bigint
  isChanged: boolean
}

export interface KeyRow {
  readonly teamId: string
  readonly accountId: string
  readonly expiresAt: number | null
  readonly isRevoked: boolean
}

export type HoldState = 'held' | 'captured' | 'released' | 'expired'

/** A hold as the database has it, with what this batch does to it. */
export interface HoldRow {
  readonly holdId: string
  readonly accountId: string
  readonly keyId: string
  readonly teamBudgetId: string | null
  readonly keyBudgetId: string | null
  readonly teamWindowStart: number | null
  readonly keyWindowStart: number | null
  readonly processId: string
  readonly type: string
  readonly model: string
  readonly stream: boolean
  readonly limitUnits: number | null
  readonly placedAt: number
  /** The state before this batch; null when this batch places the hold. */
  storedState: HoldState | null
  amount: bigint
  /** What was held before the first extension; null where there was none. */
  firstAmount: bigint | null
  state: HoldState
  endedAt: number | null
  progress: string | null
  isChanged: boolean
  ending: HoldEnding | null
}

/** An extension of a hold. */
export interface ExtensionRow {
  readonly holdId: string
  /** After it. */
  readonly amount: bigint
  readonly added: bigint
  readonly extendedAt: number
}

/** How a hold ended in this batch. */
export interface HoldEnding extends Settlement {
  readonly facts: UsageFacts
  /** When the usage record was first written. */
  readonly createdAt: number
}

/** The part of a usage record that a later settlement needs. */
export interface UsageRow {
  readonly charge: bigint
  readonly createdAt: number
  readonly promptTokens: number
  readonly completionTokens: number
}

export interface CreditRow {
  readonly transferId: string
  readonly accountId: string
  readonly kind: 'grant' | 'adjustment' | 'deposit'
  readonly amount: bigint
  readonly reason: string
  readonly createdAt: number
}

/** What a transfer says beside its id and its time. */
export interface TransferRow {
  readonly accountId: string
  readonly kind: string
  readonly amount: bigint
  readonly reason: string | null
}

export interface DailyRow {
  readonly keyId: string
  readonly day: number
  readonly type: string
  readonly model: string
  readonly accountId: string
  requests: number
  charge: bigint
  promptTokens: number
  completionTokens: number
}

/** A deposit as the database has it, with what this batch does to it. */
export interface DepositRow {
  readonly depositId: string
  readonly accountId: string
  readonly chainId: number
  readonly address: string
  readonly asset: string
  /** Smallest units. */
  readonly rawAmount: bigint
  readonly blockHash: string
  readonly credits: bigint | null
  state: string
  /** Set by the batch that credits it; null otherwise. */
  creditedAt: number | null
}

/** What came to an address of ours and what was credited for it. */
export interface InflowRow {
  readonly chainId: number
  readonly address: string
  readonly asset: string
  /** Smallest units, as the last credit found them at the block. */
  inflow: bigint
  blockNumber: number
  credited: bigint
  /** The deposit that this batch has credited last; null for none. */
  revision: string | null
  checkedAt: number
}
