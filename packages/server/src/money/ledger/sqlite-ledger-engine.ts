import type { SqliteWriter } from '../../platform/db/sqlite-writer.ts'
import type { LedgerEngine } from './ledger-engine.ts'
import type { LedgerOperation } from './operations.ts'
import { createSqliteBatches, LOGGED, type LogNotes, type SqliteBatches } from './sqlite-batch.ts'
import { createSqliteLedgerStore } from './sqlite-ledger-store.ts'

/** Enough for holds that need no flush to pass by the flushes of others on a slow disk. Source: own choice. */
const BATCHES_AT_ONCE = 64

/** The ledger on SQLite: a batch is one transaction of the connection that writes. */
export function createSqliteLedgerEngine(writer: SqliteWriter, notes: LogNotes = LOGGED): LedgerEngine {
  let batches: SqliteBatches | null = null
  let seen = writer.commits
  return {
    batchesAtOnce: BATCHES_AT_ONCE,
    async apply(operations) {
      batches ??= createSqliteBatches(createSqliteLedgerStore(writer.connection), notes)
      const known = batches
      try {
        return await writer.transact(
          () => {
            if (writer.commits !== seen) known.forget()
            seen = writer.commits + 1
            return known.apply(operations)
          },
          { isFlushed: needsFlush(operations) },
        )
      } catch (error) {
        known.forget()
        throw error
      }
    },
  }
}

/**
 * Whether a batch must be on the disk before its callers go on: it must unless all of it are holds that are flushed
 * with their end.
 */
export function needsFlush(operations: readonly LedgerOperation[]): boolean {
  return operations.some((operation) => operation.kind !== 'place' || operation.flush === 'at_once')
}
