import type { Pool, QueryConfig } from 'pg'
import type { LedgerEngine } from './ledger-engine.ts'
import { formatPostgresBatch, parsePostgresResults } from './postgres-batch.ts'

/** How long a batch may stay unanswered before its connection counts as lost and the batch is sent again. */
const ANSWER_TIMEOUT_MS = 10_000

/** The ledger on PostgreSQL: a batch is one call of the function `ledger_apply`, which is one round trip. */
export function createPostgresLedgerEngine(pool: Pool): LedgerEngine {
  return {
    async apply(operations) {
      const call: QueryConfig & { readonly query_timeout: number } = {
        text: 'select ledger_apply($1::jsonb) as results',
        values: [formatPostgresBatch(operations)],
        query_timeout: ANSWER_TIMEOUT_MS,
      }
      const reply = await pool.query<{ results: string }>(call)
      return parsePostgresResults(reply.rows[0]?.results ?? '[]')
    },
  }
}
