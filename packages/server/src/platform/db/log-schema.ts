/** The tables of the ledger log, as both engines have them. */
import type { Generated } from 'kysely'

/** What the ledger has booked and the log has not put down yet: a row for each batch of the ledger. */
export interface LedgerLogPendingTable {
  pending_id: Generated<number>
  /** JSON: each a mark and an id, in the order in which they were booked. */
  entries: string
}

/** One row: where the log ends. */
export interface LedgerLogTable {
  log_id: 1
  /** Names the log; also the name of its keys. */
  origin: string
  size: number
  /** The roots of the complete subtrees that the tree consists of, the largest first. */
  roots: Uint8Array
  /** The last signed checkpoint; null before the first. */
  checkpoint: Generated<string | null>
  signed_size: number
  /** A checkpoint that a process has given out and that this log does not lead to. */
  contradicted_by: Generated<string | null>
  /** What each checkpoint states beside its size, a line each. */
  statements: Generated<string>
  /** The process that sequences, until then. */
  holder: Generated<string | null>
  lease_until: Generated<number | null>
  created_at: number
}

/** A key that may sign, from a size on. */
export interface LedgerLogKeyTable {
  verifier_key: string
  since_size: number
  added_at: number
}

/** Leaves that were put down together. */
export interface LedgerLogBatchTable {
  first_index: number
  size: number
  earliest_at: number
  latest_at: number
  /** A line for each: mark and id as JSON, the account's running number, its balance afterwards. */
  entries: string
  /** 32 bytes for each: the leaf's salt and the operator's. */
  salts: Uint8Array
  /** Encrypted: the beginning of each leaf's hash. */
  seal: Uint8Array
  sequenced_at: number
}

/** 256 hashes of 32 bytes each; fewer in the last of a level. */
export interface LedgerLogTileTable {
  level: number
  tile_index: number
  hashes: Uint8Array
}

/** How far an account is in the log. */
export interface LedgerLogAccountTable {
  account_id: string
  number: number
  posted: bigint
}
