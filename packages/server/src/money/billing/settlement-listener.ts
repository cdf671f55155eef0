import type { SettleHold, SettleResult } from '../ledger/operations.ts'
import type { HoldRequest } from './open-hold.ts'

/** What was really taken and what we bear ourselves, in nanocredits. */
export type SettledAmounts = Pick<Extract<SettleResult, { kind: 'settled' }>, 'charge' | 'writeOff'>

/** What a settlement tells of the hold that it has ended. */
export interface SettledHold {
  readonly id: string
  readonly amount: bigint
  /** Milliseconds since the hold was asked for, and until the first content; null for whole answers. */
  readonly ageMs: number
  readonly firstContentMs: number | null
  readonly request: Pick<HoldRequest, 'type' | 'model'>
}

/** @param settled takes less than the settlement says where that could not be paid. */
export type SettlementListener = (hold: SettledHold, settlement: SettleHold, settled: SettledAmounts) => void
