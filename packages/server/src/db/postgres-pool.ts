import { Client, Pool, type ClientConfig, type PoolConfig } from 'pg'
import { storableParameters } from './storable-text.ts'

type Query = (query: unknown, values?: unknown, callback?: unknown) => unknown

/**
 * A connection whose texts are storable: whoever writes the statement, the sign-in library too, and whatever a client
 * or an upstream sent, a NUL cannot make it fail.
 */
class StorableClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config)
    // The driver's overloads differ in what they return, not in where the values stand.
    const query = this.query.bind(this) as Query
    const storable: Query = (asked, values, callback) =>
      query(withStorableValues(asked), Array.isArray(values) ? storableParameters(values) : values, callback)
    this.query = storable as Client['query']
  }
}

function withStorableValues(query: unknown): unknown {
  if (typeof query !== 'object' || query === null || !('values' in query) || !Array.isArray(query.values)) return query
  return { ...query, values: storableParameters(query.values) }
}

/**
 * Opens a pool of connections to PostgreSQL.
 *
 * A connection that breaks while idle leaves the pool by itself; it does not end the process.
 */
export function openPostgresPool(config: Omit<PoolConfig, 'Client'>): Pool {
  const pool = new Pool({ ...config, keepAlive: true, Client: StorableClient })
  pool.on('error', () => undefined)
  return pool
}
