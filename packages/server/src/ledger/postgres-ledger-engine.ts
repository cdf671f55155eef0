import type { Pool } from 'pg'
import type { LedgerEngine } from './ledger-engine.ts'
import { formatPostgresBatch, parsePostgresResults } from './postgres-batch.ts'

/** The ledger on PostgreSQL: a batch is one call of the function `ledger_apply`, which is one round trip. */
export function createPostgresLedgerEngine(pool: Pool): LedgerEngine {
  return {
    async apply(operations) {
      const reply = await pool.query<{ results: string }>('select ledger_apply($1::jsonb) as results', [
        formatPostgresBatch(operations),
      ])
      return parsePostgresResults(reply.rows[0]?.results ?? '[]')
    },
  }
}
