/** Whether the log in the database is the one that was published. */
import { sameBytes } from '@svc/contract/log/bytes'
import type { Checkpoint } from '@svc/contract/log/checkpoint'
import { isConsistent, proveConsistency, type TreeHead } from '@svc/contract/log/merkle-proof'
import { rootOf } from '@svc/contract/log/merkle-tree'
import { parseVerifierKey, type VerifierKey } from '@svc/contract/log/signed-note'
import { nodesOfTiles } from '@svc/contract/log/tiles'
import { sha256 } from './entry-facts.ts'
import { unpackRoots } from './extend-log.ts'
import type { LogSigner } from './log-key.ts'
import { statesAll } from './log-origins.ts'
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

/** Whether the log of the database says all that a checkpoint of it has said; null where it does. */
export async function refusalOfLog(
  store: Pick<LogStore, 'readTile'>,
  log: Pick<StoredLog, 'size' | 'roots' | 'statements'>,
  published: Checkpoint,
): Promise<LogRefusal | null> {
  return statesAll(log.statements, published.extensions) ? refusalOfTree(store, log, published) : 'differs'
}

/** Whether the tree of the database extends one that was published; null where it does. */
async function refusalOfTree(
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
