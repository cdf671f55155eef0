import type { Pool } from 'pg'
import { sqlStateOf } from '../../platform/db/database-failure.ts'
import { DatabaseUnavailableError } from '../../platform/errors/database-unavailable-error.ts'
import type { BusyResult, EngineResult, LedgerEngine } from './ledger-engine.ts'
import type { CreditDeposit } from './credit-operations.ts'
import type { LedgerOperation, LedgerResult } from './operations.ts'
import {
  formatLateSettlement,
  formatPostgresBatch,
  formatPostgresDeposit,
  parsePostgresResult,
  parsePostgresResults,
} from './postgres-batch.ts'
import { parseBlocked, withoutBlocked } from './postgres-blocked.ts'

/**
 * The ledger on PostgreSQL: a batch is one call of the function `ledger_apply`, which is one round trip.
 *
 * A deposit is a call of its own, in its place in the order: it locks a row that no request ever needs, so it must
 * wait for no session while it holds the locks of others. A settlement whose hold is gone is one, too, after all
 * others: what it needs to know is sent for it alone.
 *
 * A batch that waits for a row which another session has locked is cut: what needs that row is busy, the rest goes on.
 * Where no question finds the row, each operation is a batch of its own, so that one of them waits and the others do
 * not.
 */
export function createPostgresLedgerEngine(pool: Pool): LedgerEngine {
  return {
    async apply(operations) {
      const results: (EngineResult | null)[] = []
      for (const run of splitAtDeposits(operations)) {
        if ('deposit' in run) results.push(await applyDeposit(pool, run.deposit).catch(busyOnLock))
        else results.push(...(await applyBatch(pool, run.batch)))
      }
      const settled: EngineResult[] = []
      for (const [index, operation] of operations.entries()) {
        settled.push(results[index] ?? (await settleLate(pool, operation).catch(busyOnLock)))
      }
      return settled
    },
  }
}

type Run = { readonly deposit: CreditDeposit } | { readonly batch: LedgerOperation[] }

/** Splits a batch so that each deposit is a run of its own. The order is kept. */
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

const BUSY: BusyResult = { kind: 'busy' }
/** SQLSTATE of a lock that could not be had in time. */
const LOCK_TIMEOUT = '55P03'

function isLockTimeout(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError && sqlStateOf(error.cause) === LOCK_TIMEOUT
}

function busyOnLock(error: unknown): BusyResult {
  if (isLockTimeout(error)) return BUSY
  throw error
}

/** Applies a batch, without what needs a locked row where it has to wait for one. */
async function applyBatch(
  pool: Pool,
  operations: readonly LedgerOperation[],
): Promise<readonly (EngineResult | null)[]> {
  try {
    return await applyWhole(pool, operations)
  } catch (error) {
    if (!isLockTimeout(error)) throw error
  }
  const text = await call(pool, 'select ledger_blocked($1::jsonb) as results', formatPostgresBatch(operations))
  const free = withoutBlocked(operations, parseBlocked(text))
  const rest = free.filter((operation) => operation !== null)
  const results = rest.length === 0 ? [] : await applyWhole(pool, rest).catch(oneByOneOnLock(pool, rest))
  let next = 0
  return free.map((operation) => (operation === null ? BUSY : (results[next++] ?? null)))
}

/** Applies operations as batches of one, where they failed together because one of them waited for a lock. */
function oneByOneOnLock(
  pool: Pool,
  operations: readonly LedgerOperation[],
): (error: unknown) => Promise<readonly (EngineResult | null)[]> {
  return async (error) => {
    if (!isLockTimeout(error)) throw error
    const results: (EngineResult | null)[] = []
    for (const operation of operations) {
      const [result = null] = await applyWhole(pool, [operation]).catch((cause: unknown) => [busyOnLock(cause)])
      results.push(result)
    }
    return results
  }
}

async function applyWhole(
  pool: Pool,
  operations: readonly LedgerOperation[],
): Promise<readonly (LedgerResult | null)[]> {
  return parsePostgresResults(
    await call(pool, 'select ledger_apply($1::jsonb) as results', formatPostgresBatch(operations)),
  )
}

async function applyDeposit(pool: Pool, operation: CreditDeposit): Promise<LedgerResult> {
  return parsePostgresResult(
    await call(pool, 'select ledger_deposit($1::jsonb) as results', formatPostgresDeposit(operation)),
  )
}

async function settleLate(pool: Pool, operation: LedgerOperation): Promise<LedgerResult> {
  if (operation.kind !== 'settle' || operation.placed === null) {
    return { kind: 'fault', message: 'no hold of this id was placed' }
  }
  return parsePostgresResult(
    await call(
      pool,
      'select ledger_settle_late($1::jsonb) as results',
      formatLateSettlement(operation, operation.placed),
    ),
  )
}

async function call(pool: Pool, text: string, argument: string): Promise<string> {
  const reply = await pool.query<{ results: string }>(text, [argument])
  return reply.rows[0]?.results ?? '[]'
}
