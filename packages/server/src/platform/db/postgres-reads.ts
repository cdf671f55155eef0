import type { PostgresPool as KyselyPool, PostgresPoolClient } from 'kysely'
import type { PoolClient } from 'pg'
import { DatabaseUnavailableError } from '../errors/database-unavailable-error.ts'
import type { PostgresPool } from './postgres-pool.ts'

/**
 * The pool as readers see it: a read whose connection breaks is asked once more, on another one. It changes nothing, so
 * callers need not know. What is read in a transaction is not repeated: its snapshot is gone.
 */
export function repeatReads(pool: PostgresPool): KyselyPool {
  return {
    options: pool.options,
    connect: () => lendForReading(pool),
    end: () => pool.end(),
  }
}

async function lendForReading(pool: PostgresPool): Promise<PostgresPoolClient> {
  let client: PoolClient | null = await pool.connect()
  let mayRepeat = true
  const giveBack = (): void => {
    client?.release()
    client = null
  }
  const query = async (sql: string, parameters: readonly unknown[]): Promise<unknown> => {
    if (/^(?:begin|start transaction)/i.test(sql)) mayRepeat = false
    client ??= await pool.connect()
    try {
      return await client.query(sql, [...parameters])
    } catch (error) {
      if (!mayRepeat || !(error instanceof DatabaseUnavailableError) || error.trouble !== 'away') throw error
    }
    mayRepeat = false
    giveBack()
    return query(sql, parameters)
  }
  return { query: query as PostgresPoolClient['query'], release: giveBack }
}
