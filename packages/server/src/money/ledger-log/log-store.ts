/** The log as the database keeps it. One adapter for each engine; both are opened by the composition. */
import type { TreeEdge } from '@svc/contract/log/merkle-tree'
import type { Tile } from '@svc/contract/log/tiles'
import type { LoggedBatch } from '../ledger/logged-batch.ts'
import type { EntryFacts } from './entry-facts.ts'
import type { SealKey } from './seal.ts'

/** The one row of the log. */
export interface StoredLog {
  readonly origin: string
  readonly size: number
  readonly roots: Uint8Array
  /** The last signed checkpoint, and its size; null and 0 before the first. */
  readonly checkpoint: string | null
  readonly signedSize: number
  /** A checkpoint that a process has given out and that did not fit; null for none. */
  readonly contradictedBy: string | null
  /** What each checkpoint states beside its size. */
  readonly statements: readonly string[]
}

/** A key that may sign, from a size on. */
export interface StoredLogKey {
  readonly verifierKey: string
  readonly sinceSize: number
  readonly addedAt: number
}

/** A batch as it is stored. */
export interface StoredBatch {
  readonly firstIndex: number
  readonly size: number
  readonly entries: string
  readonly salts: Uint8Array
  readonly seal: Uint8Array
}

/** What an append needs beside the database. */
export interface AppendContext {
  readonly sealKey: SealKey
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Entries in one append, about. */
  readonly most: number
  /** The tree that the log must have: another one means that another process has put entries down. */
  readonly edge: TreeEdge
  /** What is in memory of a batch that waits; null for one that must be read. */
  readonly recall: (pendingId: number, entries: string) => readonly EntryFacts[] | null
  /** Told of entries whose rows are gone: they cannot be put down. */
  readonly onMissing: (entries: number) => void
}

export interface Appended {
  /** The tree afterwards; null where the log was another one than expected, and nothing was done. */
  readonly edge: TreeEdge | null
  /** Leaves that were added. */
  readonly leaves: number
}

/** A key that signs in place of lost ones. */
export interface KeyReplacement {
  readonly keys: readonly string[]
  /** The size of the log as it is. */
  readonly sinceSize: number
  /** As `formatStatement` writes it. */
  readonly statement: string
}

/** A log that takes the place of a lost one. */
export interface NewLog extends KeyReplacement {
  readonly origin: string
  readonly replacedOrigin: string
}

export interface LogStore {
  /** Null where there is no log yet. */
  readLog(): Promise<StoredLog | null>
  /** Begins the log with its first keys. Nothing is changed where there is one. */
  createLog(origin: string, keys: readonly string[], now: number): Promise<void>
  listKeys(): Promise<readonly StoredLogKey[]>
  /** Adds keys that may sign from a size on. */
  addKeys(keys: readonly string[], sinceSize: number, now: number): Promise<void>
  /** Takes or renews the lease of the one that sequences. */
  takeLease(holder: string, now: number, leaseMs: number): Promise<boolean>
  endLease(holder: string): Promise<void>
  /** States that a key was replaced, from the next checkpoint on, and adds the new one. */
  replaceKey(replacement: KeyReplacement, now: number): Promise<void>
  /**
   * Goes on as another log with the leaves that are here, and states so.
   *
   * @throws what `unmet` makes, with nothing done, where the log has grown or has another name by now.
   */
  beginNewLog(beginning: NewLog, now: number, unmet: () => Error): Promise<void>
  /** Puts down the entries that wait longest, in one transaction. */
  append(context: AppendContext): Promise<Appended>
  /** Notes a signed checkpoint, durably, unless a larger one is there. */
  noteCheckpoint(checkpoint: string, size: number): Promise<void>
  /** Tells all processes of a checkpoint that was given out and that the log does not lead to. */
  noteContradiction(checkpoint: string): Promise<void>
  /** The hashes of a tile, at least so many; null where there are fewer. */
  readTile(tile: Tile): Promise<Uint8Array | null>
  /** Batches that may hold an entry that was booked at a time, and that do name it. */
  findBatches(entries: readonly string[], bookedAt: number): Promise<readonly StoredBatch[]>
  countPending(): Promise<number>
}

/** Keeps what the ledger has just booked in memory until it is put down. */
export interface RecentBatches {
  readonly note: (logged: LoggedBatch) => void
  readonly recall: AppendContext['recall']
}
