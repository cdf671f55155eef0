import type { ChainId, Hex } from '../chain/assets.ts'
import type { Finality } from '../chain/chain-facts.ts'
import type { Deposit } from './deposit.ts'

/** What became of looking at a transaction now. */
export type TransactionOutcome =
  /** The chain cannot be asked, or cannot be believed, now. Nothing changed. */
  | { readonly kind: 'unavailable'; readonly retryAfterSeconds: number }
  /** No node knows the transaction. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unmined' }
  /** Its block left the chain; what was recorded of it is reversed. */
  | { readonly kind: 'displaced' }
  | { readonly kind: 'reverted' }
  /** It paid nothing to this account. */
  | { readonly kind: 'not_yours' }
  /** It paid the treasury from a wallet that is not linked to this account; only where wallets are linked. */
  | { readonly kind: 'wallet_not_linked' }
  /** It moved tokens to this account that are not taken. */
  | { readonly kind: 'unsupported_token'; readonly tokens: readonly Hex[] }
  | {
      readonly kind: 'deposits'
      /** All transfers of it to this account, of every asset, as they stand after this look. */
      readonly deposits: readonly Deposit[]
      readonly finality: Finality
      /** Seconds until its block is final, as far as can be said; 0 once it is. */
      readonly etaSeconds: number
    }

/** Which transaction, and for whom: null takes every account that it pays. */
export interface TransactionQuestion {
  readonly chainId: ChainId
  readonly txHash: Hex
  readonly accountId: string | null
}

/** Looks at one transaction now: records what it pays, follows its block, and credits what is final and sound. */
export type SettleTransaction = (question: TransactionQuestion) => Promise<TransactionOutcome>
