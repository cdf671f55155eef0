import type { EntryFacts } from './entry-facts.ts'
import { factsOfLogged } from './facts-of-logged.ts'
import type { RecentBatches } from './log-store.ts'

/** Entries that are kept at most: those beyond are read from the database. Source: own choice. */
const ENTRIES_MAX = 20_000

/**
 * Remembers what the ledger has booked in this process, so that it need not be read again. A batch counts once its row
 * is in the database, with the same entries: one that was not committed is never recalled.
 */
export function createRecentBatches(): RecentBatches {
  const batches = new Map<number, RecentBatch>()
  let kept = 0
  const forget = (pendingId: number): void => {
    kept -= batches.get(pendingId)?.facts.length ?? 0
    batches.delete(pendingId)
  }
  return {
    note: ({ pendingId, entries, booked }) => {
      forget(pendingId)
      batches.set(pendingId, { entries, facts: factsOfLogged(booked) })
      kept += booked.length
      for (const oldest of batches.keys()) {
        if (kept <= ENTRIES_MAX) return
        forget(oldest)
      }
    },
    recall: (pendingId, named) => {
      const batch = batches.get(pendingId)
      forget(pendingId)
      return batch?.entries === named ? batch.facts : null
    },
  }
}

interface RecentBatch {
  readonly entries: string
  readonly facts: readonly EntryFacts[]
}
