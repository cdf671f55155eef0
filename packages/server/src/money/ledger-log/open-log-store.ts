import type { OpenDatabase } from '../../platform/db/open-database.ts'
import type { LogStore } from './log-store.ts'
import { createPostgresLogStore } from './postgres-log-store.ts'
import { createSqliteLogStore } from './sqlite-log-store.ts'

/** The log in a database that is open. */
export function openLogStore(database: OpenDatabase): LogStore {
  return database.engine === 'sqlite' ? createSqliteLogStore(database) : createPostgresLogStore(database)
}
