/** The money operations that no request makes: credits of operators, and of deposits. */
import type { Nanocredits } from '@svc/contract'

/** Credits an account, or debits it with a negative amount. */
export interface RecordCredit {
  readonly kind: 'credit'
  /**
   * UUIDv7 text, or any text that is unique by nature. The same twice is one effect; with other facts it is refused.
   */
  readonly transferId: string
  readonly source: 'grant' | 'adjustment'
  readonly accountId: string
  readonly amount: Nanocredits
  /** Why, in words for the account's owner. */
  readonly reason: string
  /** The person who gives it, who must be an operator still; absent for what no person does in the console. */
  readonly operatorId?: string | undefined
  readonly now: number
}

export type CreditResult =
  | { readonly kind: 'credited'; readonly posted: Nanocredits }
  | { readonly kind: 'already_credited'; readonly posted: Nanocredits }
  /** Another transfer has this id: these are its facts. Nothing was recorded. */
  | { readonly kind: 'id_taken'; readonly by: CreditFacts }
  | { readonly kind: 'insufficient'; readonly available: Nanocredits }
  | { readonly kind: 'unknown_account' }
  /** The balance would be more than one can hold. Nothing was recorded. */
  | { readonly kind: 'too_large'; readonly most: Nanocredits }
  /** The person who gave it is no operator any more. Nothing was recorded. */
  | { readonly kind: 'not_operator' }

/** What a transfer says beside its id and its time. */
export interface CreditFacts {
  readonly accountId: string
  readonly kind: string
  readonly amount: Nanocredits
  readonly reason: string | null
}

/**
 * Credits a recorded deposit, and marks it credited in the same transaction. Its natural key is (chain, transaction,
 * ordinal); the transfer has the deposit's id.
 *
 * The row decides: it must be `confirming`, in the block that the caller verified, and worth what the caller found.
 * What was credited for its address is compared with what came to it in the same step. Source: decision 0091.
 */
export interface CreditDeposit {
  readonly kind: 'deposit'
  readonly chainId: number
  /** Lower case, with `0x`. */
  readonly txHash: string
  readonly ordinal: string
  /** The block in which the caller saw it final. */
  readonly blockHash: string
  readonly amount: Nanocredits
  /** What has come to the deposit's address in all; null where all pay to one, whose owner moves coins as they like. */
  readonly inflow: FinalInflow | null
  /** Why, in words for the account's owner. */
  readonly reason: string
  readonly now: number
}

/** All that ever came to an address, at a final block. */
export interface FinalInflow {
  /** Smallest units. */
  readonly amount: bigint
  readonly blockNumber: number
}

export type CreditDepositResult =
  | {
      readonly kind: 'deposited'
      readonly depositId: string
      readonly accountId: string
      readonly credits: Nanocredits
      readonly posted: Nanocredits
      /** Whether an earlier operation had done it. */
      readonly isRepeated: boolean
    }
  /** The row says otherwise by now: read it again. */
  | { readonly kind: 'not_creditable'; readonly state: string }
  /** More would be credited for its address than came to it; smallest units. */
  | { readonly kind: 'exceeds_inflow'; readonly inflow: bigint; readonly credited: bigint }
  | { readonly kind: 'unknown_deposit' }
