import type { Pool } from 'pg'
import type { LedgerEngine } from './ledger-engine.ts'
import type { CreditDeposit, LedgerOperation, LedgerResult } from './operations.ts'
import {
  formatPostgresBatch,
  formatPostgresDeposit,
  parsePostgresDeposit,
  parsePostgresResults,
} from './postgres-batch.ts'

/**
 * The ledger on PostgreSQL: a batch is one call of the function `ledger_apply`, which is one round trip.
 *
 * A deposit is a call of its own, in its place in the order: it locks a row that no request ever needs, so it must
 * wait for nobody while it holds the locks of others.
 */
export function createPostgresLedgerEngine(pool: Pool): LedgerEngine {
  return {
    async apply(operations) {
      if (operations.every(isNoDeposit)) return applyBatch(pool, operations)
      const results: LedgerResult[] = []
      for (const run of splitAtDeposits(operations)) {
        if ('deposit' in run) results.push(await applyDeposit(pool, run.deposit))
        else results.push(...(await applyBatch(pool, run.batch)))
      }
      return results
    },
  }
}

function isNoDeposit(operation: LedgerOperation): boolean {
  return operation.kind !== 'deposit'
}

type Run = { readonly deposit: CreditDeposit } | { readonly batch: LedgerOperation[] }

/** Cuts a batch so that each deposit stands alone and the order is kept. */
function splitAtDeposits(operations: readonly LedgerOperation[]): readonly Run[] {
  const runs: Run[] = []
  for (const operation of operations) {
    const last = runs.at(-1)
    if (operation.kind === 'deposit') runs.push({ deposit: operation })
    else if (last !== undefined && 'batch' in last) last.batch.push(operation)
    else runs.push({ batch: [operation] })
  }
  return runs
}

async function applyBatch(pool: Pool, operations: readonly LedgerOperation[]): Promise<readonly LedgerResult[]> {
  return parsePostgresResults(
    await call(pool, 'select ledger_apply($1::jsonb) as results', formatPostgresBatch(operations)),
  )
}

async function applyDeposit(pool: Pool, operation: CreditDeposit): Promise<LedgerResult> {
  return parsePostgresDeposit(
    await call(pool, 'select ledger_deposit($1::jsonb) as results', formatPostgresDeposit(operation)),
  )
}

async function call(pool: Pool, text: string, argument: string): Promise<string> {
  const reply = await pool.query<{ results: string }>(text, [argument])
  return reply.rows[0]?.results ?? '[]'
}
