/** Whether the log in the database is the one that was published. */
import { sameBytes } from '@svc/contract/log/bytes'
import { type Checkpoint, parseCheckpoint } from '@svc/contract/log/checkpoint'
import { isConsistent, proveConsistency, type TreeHead } from '@svc/contract/log/merkle-proof'
import { rootOf } from '@svc/contract/log/merkle-tree'
import { nodeCrypto } from '@svc/contract/log/node-crypto'
import { parseNote, parseVerifierKey, signersOf, type VerifierKey } from '@svc/contract/log/signed-note'
import { nodesOfTiles } from '@svc/contract/log/tiles'
import { sha256 } from './entry-facts.ts'
import { unpackRoots } from './extend-log.ts'
import type { LogSigner } from './log-key.ts'
import type { LogStore, StoredLog } from './log-store.ts'

/** Why nothing is put down and nothing is signed. */
export type LogRefusal =
  /** The key is gone, or its file cannot be read. */
  | 'no_key'
  /** The log has another name than the key. */
  | 'other_log'
  /** The log was signed with other keys. */
  | 'unknown_key'
  /** The database has fewer leaves than were published. */
  | 'shorter'
  /** The database has other leaves than were published, or its tree contradicts itself. */
  | 'differs'

/** A checkpoint with its note, its signature checked. */
export interface SignedCheckpoint extends Checkpoint {
  readonly note: string
}

/** Reads a note and checks it. @returns null where it is none, or none of the keys has signed it in its own name. */
export function openCheckpoint(note: string, keys: readonly VerifierKey[]): SignedCheckpoint | null {
  const signed = parseNote(note)
  const head = signed === null ? null : parseCheckpoint(signed.text)
  if (signed === null || head === null) return null
  const own = keys.filter(({ name }) => name === head.origin)
  return signersOf(nodeCrypto, signed, own).length === 0 ? null : { ...head, note }
}

/** The keys of the log that are recorded. */
export async function listVerifierKeys(store: Pick<LogStore, 'listKeys'>): Promise<readonly VerifierKey[]> {
  const rows = await store.listKeys()
  return rows.map(({ verifierKey }) => parseVerifierKey(sha256, verifierKey)).filter((key) => key !== null)
}

/** Whether this process may sign for a log; null where it may. */
export function refusalOfKeys(
  { origin }: Pick<StoredLog, 'origin'>,
  signers: readonly LogSigner[],
  known: readonly VerifierKey[],
): LogRefusal | null {
  const [first] = signers
  if (first === undefined) return 'no_key'
  if (first.key.name !== origin) return 'other_log'
  const isKnown = ({ key }: LogSigner): boolean => known.some((other) => sameBytes(other.publicKey, key.publicKey))
  return signers.some(isKnown) ? null : 'unknown_key'
}

/** Whether the tree of the database extends one that was published; null where it does. */
export async function refusalOfTree(
  store: Pick<LogStore, 'readTile'>,
  log: Pick<StoredLog, 'size' | 'roots'>,
  published: TreeHead,
): Promise<LogRefusal | null> {
  if (published.size > log.size) return 'shorter'
  const edge = unpackRoots(log.size, log.roots)
  if (edge === null) return 'differs'
  const after = { size: log.size, root: rootOf(sha256, edge) }
  const readNode = nodesOfTiles(sha256, log.size, async (tile) => (await store.readTile(tile)) ?? new Uint8Array())
  try {
    const proof = await proveConsistency({ sha256, readNode }, published.size, log.size)
    return isConsistent(sha256, { before: published, after }, proof) ? null : 'differs'
  } catch (error) {
    if (error instanceof RangeError) return 'differs'
    throw error
  }
}
