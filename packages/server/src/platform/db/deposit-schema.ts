/** The tables of deposits. Raw amounts are smallest units as decimal text, since wei do not fit 64 bits. */

import type { Generated } from 'kysely'

/** An address at which deposits of an account arrive. Never changed, never reused, ours for ever. */
export interface DepositAddressTable {
  address_id: string
  account_id: string
  chain_id: number
  /** Names the extended public key; see `xpubIdOf`. */
  xpub_id: string
  derivation_index: number
  /** Lower case. */
  address: string
  created_at: number
}

/** An address of a sandbox's chain: nothing that arrives there is a deposit. */
export interface RetiredAddressTable {
  chain_id: number
  address: string
  retired_at: number
}

/** A wallet whose payments to the treasury belong to an account. At most one open row per chain and address. */
export interface LinkedWalletTable {
  wallet_id: string
  account_id: string
  chain_id: number
  /** Lower case. */
  address: string
  /** How control was shown: an `eoa` by its own signature, a `contract` by ERC-1271 or ERC-6492 on that chain. */
  proof: 'eoa' | 'contract'
  linked_at: number
  unlinked_at: number | null
}

/** A nonce that a wallet signs once. */
export interface WalletChallengeTable {
  nonce: string
  account_id: string
  /** Who asked: a session or a key. */
  session: string
  chain_id: number
  expires_at: number
  used_at: number | null
}

/** One transfer on a chain to an account. Found by chain, transaction and ordinal; its transfer has its id. */
export interface DepositTable {
  deposit_id: string
  account_id: string
  chain_id: number
  /** Lower case. */
  tx_hash: string
  /** `log:3` the fourth log of the transaction, `tx` its own value, `trace:0.1` an inner call, `balance:0x…`. */
  ordinal: string
  asset: 'USDG' | 'ETH'
  address: string
  /** Null where nothing tells. */
  sender: string | null
  /** Smallest units as decimal digits. */
  raw_amount: string
  block_number: number
  block_hash: string
  /** Milliseconds since the epoch. */
  block_time: number
  state: 'seen' | 'confirming' | 'credited' | 'reversed' | 'under_review' | 'rejected'
  /** Why it is not credited yet; null once it is. */
  reason: string | null
  /** What it is worth; null until a price is known. */
  credits: bigint | null
  /** USD per unit as decimal text; null until it is known. */
  price: string | null
  /** Where the price comes from: a round of the feed, or `fixed`. */
  price_round: string | null
  price_time: number | null
  /** When an operator has let it pass; null for most. */
  released_at: number | null
  /** What an operator noted. */
  note: string | null
  seen_at: number
  updated_at: number
  credited_at: number | null
  /** When its block was first found to be final; null until then. */
  final_at: Generated<number | null>
  /** Since when the answers about it do not fit together; null until then. */
  doubted_at: Generated<number | null>
}

/** What we moved away from one of our addresses. Written before it is sent, so that a balance can be explained. */
export interface OutflowTable {
  outflow_id: string
  chain_id: number
  asset: 'USDG' | 'ETH'
  address: string
  tx_hash: string | null
  /** Smallest units as decimal digits. */
  raw_amount: string
  /** Wei that the address itself paid for it, as decimal digits; `0` where another account pays. */
  raw_fee: string
  state: 'planned' | 'sent' | 'final' | 'failed'
  block_number: number | null
  block_hash: string | null
  /** Digest of all of these, written with each change. */
  seal: string
  created_at: number
  updated_at: number
}

/** What came to an address and what was credited for it. Raw figures are smallest units as decimal digits. */
export interface AddressInflowTable {
  chain_id: number
  address: string
  asset: 'USDG' | 'ETH'
  /** All that had come to it at a final block, as the last credit found it; `0` before the first. */
  raw_inflow: Generated<string>
  block_number: Generated<number>
  /** What was credited for it in all. */
  raw_credited: Generated<string>
  /** Exchanged with every change of what is recorded for the address. */
  revision: string
  checked_at: number
}

/** A payment that is part of a deposit which the balance of its address had made before. Rows are only ever added. */
export interface DepositMatchTable {
  chain_id: number
  tx_hash: string
  ordinal: string
  deposit_id: string
  /** Smallest units as decimal digits. */
  raw_amount: string
  block_number: number
  matched_at: number
}

/** A price that a price service gave at a time. Old rows are removed. */
export interface PriceSampleTable {
  chain_id: number
  sampled_at: number
  /** For one ETH; compared, never calculated with. */
  usd: number
}

/** What could not be read of a chain, and when it is looked at again. */
export interface ChainRetryTable {
  chain_id: number
  /** A transaction by its hash, or a block by its number. */
  subject: string
  block_number: number
  failures: number
  /** Why, in words for operators. */
  problem: string
  first_at: number
  next_at: number
}

/** How far a scan of a chain has come. */
export interface ChainCursorTable {
  chain_id: number
  scan: string
  block_number: number
  block_hash: string
  updated_at: number
}

/** A fact of a chain that is noted once and watched for changes, such as the code behind the token. */
export interface ChainFactTable {
  chain_id: number
  name: string
  value: string
  noted_at: number
}

/** Who does a task that only one process may do at a time. */
export interface TaskLeaseTable {
  task: string
  holder: string
  lease_until: number
}

/** What an operator decided about a deposit. Rows are only ever added. */
export interface DepositDecisionTable {
  decision_id: string
  deposit_id: string
  decision: 'release' | 'reject'
  reason: string
  /** USD per unit that the operator named; null for most. */
  price: string | null
  /** The operator's name on the machine where the command ran. */
  decided_by: string
  decided_at: number
}
