import { openCheckpoint, type SignedCheckpoint } from '@svc/contract/log/checkpoint'
import { nodeCrypto } from '@svc/contract/log/node-crypto'
import { listVerifierKeys } from './check-log.ts'
import type { LogStore } from './log-store.ts'

/**
 * The last checkpoint that the database says was given out, for a process that gives out none itself: null where there
 * is none, or where a process has found the log to be another one.
 */
export async function readPublished(store: Pick<LogStore, 'readLog' | 'listKeys'>): Promise<SignedCheckpoint | null> {
  const log = await store.readLog()
  if (log?.checkpoint == null || log.contradictedBy !== null) return null
  return openCheckpoint(nodeCrypto, log.checkpoint, await listVerifierKeys(store))
}
