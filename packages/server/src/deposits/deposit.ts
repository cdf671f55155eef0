/**
 * Room `deposits`: payments on a chain that become credits. It records what came for which account, follows it until it
 * is final, and credits it once through the ledger. Its invariant: no deposit is credited twice, before it is final, or
 * for more than what its address received.
 */
import type { Nanocredits } from '@svc/contract'
import type { Asset, ChainId, Hex } from '../chain/assets.ts'

export type DepositState =
  /** In a block that the chain may still drop. */
  | 'seen'
  /** In a block that the chain calls safe or final; waits for what `reason` says. */
  | 'confirming'
  | 'credited'
  /** Its block left the chain. It may come again. */
  | 'reversed'
  /** An operator decides. */
  | 'under_review'
  /** An operator decided against it. */
  | 'rejected'

/** Why a deposit is not credited yet. */
export type PendingReason =
  | 'confirming'
  | 'awaiting_price'
  | 'below_minimum'
  | 'under_review'
  | 'reorg'
  /** The figures of its address are not final themselves: a payment of ours is under way. */
  | 'awaiting_outflow'

/** One transfer to an account. Source: decision 0028 (deposits). */
export interface Deposit {
  readonly depositId: string
  readonly accountId: string
  readonly chainId: ChainId
  readonly txHash: Hex
  readonly ordinal: string
  readonly asset: Asset
  /** Where it arrived. */
  readonly address: Hex
  /** Who sent it; null where that is unknown. */
  readonly sender: Hex | null
  /** Smallest units. */
  readonly amount: bigint
  readonly blockNumber: number
  readonly blockHash: Hex
  /** Milliseconds since the epoch. */
  readonly blockTime: number
  readonly state: DepositState
  /** Null once it is credited or rejected. */
  readonly reason: PendingReason | null
  /** Why it is under review, or what an operator noted; in words. */
  readonly note: string | null
  /** What it is worth; null until a price is known. */
  readonly credits: Nanocredits | null
  /** USD per whole unit; null until it is known. */
  readonly price: string | null
  readonly priceRound: string | null
  readonly priceTime: number | null
  /** When an operator let it pass; null for most. */
  readonly releasedAt: number | null
  readonly seenAt: number
  /** When its block was first found to be final; null until then. */
  readonly finalAt: number | null
  /** Since when the answers about it do not fit together; null until then. */
  readonly doubtedAt: number | null
  readonly updatedAt: number
  readonly creditedAt: number | null
}

/** States in which a deposit may still become credits without an operator. */
export const OPEN_STATES = ['seen', 'confirming'] as const satisfies readonly DepositState[]
