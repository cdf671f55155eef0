import { setTimeout as waitMs } from 'node:timers/promises'
import type { CompiledQuery } from 'kysely'
import type { PoolClient } from 'pg'
import { DatabaseUnavailableError } from '../errors/database-unavailable-error.ts'
import type { WriteCondition } from './database.ts'
import { beginWithin } from './postgres-limits.ts'
import type { PostgresPool } from './postgres-pool.ts'

/** Transactions that collided are run again, after these pauses. Source: own choice. */
const CONFLICT_PAUSES_MS: readonly number[] = [5, 20, 80]

/**
 * Runs statements in order in one transaction: all or none.
 *
 * It is run again where the database has undone it because it collided with another one, and where the connection was
 * found broken before anything was asked: nothing can have changed then.
 *
 * @returns how many rows each statement changed, in the same order.
 * @throws {DatabaseUnavailableError} when the database is away or slow. Whether anything has changed is unknown then.
 * @throws what `condition` says, where it does not hold.
 */
export async function runInTransaction(
  pool: PostgresPool,
  statements: readonly CompiledQuery[],
  condition?: WriteCondition,
): Promise<readonly number[]> {
  let mayReconnect = true
  for (let conflicts = 0; ;) {
    const client = await pool.connect()
    let hasBegun = false
    try {
      await client.query(beginWithin(pool.limits))
      hasBegun = true
      if (condition !== undefined && (await run(client, condition.statement)) === 0) throw condition.unmet()
      return await commitAll(client, statements)
    } catch (error) {
      if (hasBegun) await client.query('rollback').catch(() => undefined)
      if (!(error instanceof DatabaseUnavailableError)) throw error
      const pauseMs = CONFLICT_PAUSES_MS[conflicts]
      if (error.trouble === 'conflict' && pauseMs !== undefined) {
        conflicts++
        await waitMs(pauseMs)
      } else if (error.trouble === 'away' && !hasBegun && mayReconnect) mayReconnect = false
      else throw error
    } finally {
      client.release()
    }
  }
}

async function commitAll(client: PoolClient, statements: readonly CompiledQuery[]): Promise<readonly number[]> {
  const changed: number[] = []
  for (const statement of statements) changed.push(await run(client, statement))
  await client.query('commit')
  return changed
}

async function run(client: PoolClient, { sql, parameters }: CompiledQuery): Promise<number> {
  return (await client.query(sql, [...parameters])).rowCount ?? 0
}
