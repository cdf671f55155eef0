import type { UsageType } from '@svc/contract'
import type { SettleHold, SettleResult } from '../ledger/operations.ts'
import type { EmptyAnswerThrottle } from './empty-answer-throttle.ts'
import type { RecentSettlements } from './recent-settlements.ts'

/** What was really taken and what we bear ourselves, in nanocredits. */
export type SettledAmounts = Pick<Extract<SettleResult, { kind: 'settled' }>, 'charge' | 'writeOff'>

/** What a settlement reports about the hold that it has ended. */
export interface SettledHold {
  readonly id: string
  readonly amount: bigint
  /** Milliseconds since the hold was asked for, and until the first content; null for whole answers. */
  readonly ageMs: number
  readonly firstContentMs: number | null
  readonly request: { readonly type: UsageType; readonly model: string }
}

/** @param settled takes less than the settlement says where that could not be paid. */
export type SettlementListener = (hold: SettledHold, settlement: SettleHold, settled: SettledAmounts) => void

/** Who learns of settlements that are in the books. */
export interface SettlementListeners {
  /** Slows accounts that provoke answers without content, whatever they ask for; absent slows none. */
  readonly emptyAnswers?: EmptyAnswerThrottle | undefined
  /**
   * Takes down what the database has confirmed, for the case that it loses it; absent where losses are not looked for.
   */
  readonly recent?: Pick<RecentSettlements, 'note'> | undefined
  /** Called once with each settlement that this process has written, after it is durable. It must not throw. */
  readonly onSettled?: SettlementListener | undefined
}

/** Tells them what the ledger has answered. */
export function notifySettled(
  { emptyAnswers, recent, onSettled }: SettlementListeners,
  hold: SettledHold,
  settlement: SettleHold,
  result: SettleResult,
): void {
  if (result.kind !== 'unknown_caller') recent?.note(settlement)
  if (result.kind !== 'settled') return
  if (settlement.placed !== null) emptyAnswers?.note(settlement.placed.accountId, settlement)
  onSettled?.(hold, settlement, result)
}
