import { factsOfLogged } from './facts-of-logged.ts'
import type { RecentBatches } from './log-store.ts'
import type { LoggedBatch } from '../ledger/logged-batch.ts'

/** Entries that are kept at most: those beyond are read from the database. Source: own choice. */
const ENTRIES_MAX = 20_000

/**
 * Remembers what the ledger has booked in this process, so that it need not be read again. A batch counts once its row
 * is in the database, with the same entries: one that was not committed is never recalled.
 */
export function createRecentBatches(): RecentBatches {
  const batches = new Map<number, LoggedBatch>()
  let entries = 0
  const forget = (pendingId: number): void => {
    const batch = batches.get(pendingId)
    if (batch === undefined) return
    entries -= sizeOf(batch)
    batches.delete(pendingId)
  }
  return {
    note: (batch) => {
      forget(batch.pendingId)
      batches.set(batch.pendingId, batch)
      entries += sizeOf(batch)
      for (const pendingId of batches.keys()) {
        if (entries <= ENTRIES_MAX) return
        forget(pendingId)
      }
    },
    recall: (pendingId, named) => {
      const batch = batches.get(pendingId)
      forget(pendingId)
      return batch === undefined || batch.entries !== named ? null : factsOfLogged(batch)
    },
  }
}

function sizeOf({ ended, credits }: LoggedBatch): number {
  return ended.length + credits.length
}
