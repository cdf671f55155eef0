import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Pool } from 'pg'
import type { OpenDatabase } from './open-database.ts'
import { BUSY_TIMEOUT_MS } from './sqlite-connection.ts'

/** A connection for the sign-in library alone: it reads plain numbers, which our own connections do not. */
export interface SignInConnection {
  readonly client: DatabaseSync | Pool
  close(): Promise<void>
}

const CONNECTIONS_MAX = 3

/**
 * The library's transactions read before they write. One that began as a reader is refused its first write, without any
 * wait, when the ledger has committed in between; so each begins as a writer, and waits for its turn.
 */
class WritingDatabase extends DatabaseSync {
  override prepare(sql: string): StatementSync {
    return super.prepare(sql === 'begin' ? 'begin immediate' : sql)
  }
}

/** Opens one. Its owner closes it, before the database. */
export function openSignInConnection(database: OpenDatabase): SignInConnection {
  if (database.engine === 'sqlite') {
    const client = new WritingDatabase(database.path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
    return {
      client,
      close: () => {
        client.close()
        return Promise.resolve()
      },
    }
  }
  const client = database.openPool({ max: CONNECTIONS_MAX })
  return { client, close: () => client.end() }
}
