import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Pool } from 'pg'
import { DatabaseUnavailableError } from '../errors/database-unavailable-error.ts'
import { translatingSqlite } from './database-failure.ts'
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
  readonly #translate: Translate

  constructor(path: string, translate: Translate) {
    super(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
    this.#translate = translate
  }

  override prepare(sql: string): StatementSync {
    const statement = this.#translate(() => super.prepare(sql === 'begin' ? 'begin immediate' : sql))
    for (const name of ['all', 'get', 'run'] as const) {
      const call = statement[name].bind(statement) as (...values: unknown[]) => never
      statement[name] = (...values: unknown[]) => this.#translate(() => call(...values))
    }
    return statement
  }
}

/** Calls SQLite, and throws its failures as ours. */
type Translate = <Result>(work: () => Result) => Result

/**
 * Opens one. Its owner closes it, before the database.
 *
 * @param onFailure called with each failure of the database, in the context of the asker: the library hides them.
 */
export function openSignInConnection(
  database: OpenDatabase,
  onFailure: (failure: DatabaseUnavailableError) => void,
): SignInConnection {
  if (database.engine === 'sqlite') {
    const translate: Translate = (work) => {
      try {
        return translatingSqlite(work)
      } catch (error) {
        if (error instanceof DatabaseUnavailableError) onFailure(error)
        throw error
      }
    }
    const client = new WritingDatabase(database.path, translate)
    return {
      client,
      close: () => {
        client.close()
        return Promise.resolve()
      },
    }
  }
  const client = database.openPool({ max: CONNECTIONS_MAX, onFailure })
  return { client, close: () => client.end() }
}
