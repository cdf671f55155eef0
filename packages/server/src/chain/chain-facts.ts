import type { Asset, Hex } from './assets.ts'

/** A block by its number and its hash: a number alone names other blocks after a reorganisation. */
export interface BlockRef {
  readonly number: number
  readonly hash: Hex
  /** Milliseconds since the epoch. */
  readonly time: number
}

/** A transaction that a search has found, and its block. */
export interface FoundTransaction {
  readonly txHash: Hex
  readonly blockNumber: number
}

/** The newest block, and the newest that the chain calls safe and final. Source: decision 0028. */
export interface ChainHead {
  readonly latest: BlockRef
  /** Null where the node does not say. */
  readonly safe: BlockRef | null
  readonly finalized: BlockRef
}

/** One movement of an asset that a transaction really made. */
export interface ChainTransfer {
  readonly asset: Asset
  /** Its place in the transaction, the same after the transaction was included again: `log:3`, `tx`, `trace:0.1`. */
  readonly ordinal: string
  readonly from: Hex
  readonly to: Hex
  /** Smallest units; above 0. */
  readonly amount: bigint
}

/** A transfer that some other contract claims to have made. */
export interface ForeignTransfer {
  readonly token: Hex
  readonly to: Hex
}

export type Finality = 'latest' | 'safe' | 'finalized'

/** What a chain says about a transaction now. */
export type TransactionFacts =
  /** No node knows it. */
  | { readonly kind: 'unknown' }
  /** It waits for a block. */
  | { readonly kind: 'unmined' }
  /** It was in a block that is no longer part of the chain. */
  | { readonly kind: 'displaced' }
  | { readonly kind: 'reverted'; readonly block: BlockRef; readonly finality: Finality }
  | {
      readonly kind: 'mined'
      readonly block: BlockRef
      readonly finality: Finality
      /** Every transfer of an asset that we take, to whomever. */
      readonly transfers: readonly ChainTransfer[]
      readonly foreign: readonly ForeignTransfer[]
      /** Whether inner calls were looked at: without a trace they stay unseen. */
      readonly isTraced: boolean
    }

/** Where the price of a deposit comes from. */
export interface AssetPrice {
  /** USD for one whole unit of the asset as a decimal. */
  readonly usd: string
  /** The round of the feed, or `par`, or `fixed`. */
  readonly round: string
  /** When the feed was updated, in milliseconds since the epoch. */
  readonly time: number
}
