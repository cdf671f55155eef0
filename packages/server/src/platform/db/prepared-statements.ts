import type { DatabaseSync, StatementSync } from 'node:sqlite'

/**
 * Keeps the statements of a connection prepared, at most so many: the least recently made one leaves first.
 *
 * @returns finds the statement of an SQL text, or prepares it. @throws SQLite's errors for a text that is none.
 */
export function createPreparedStatements(connection: DatabaseSync, most: number): (sql: string) => StatementSync {
  const prepared = new Map<string, StatementSync>()
  return (sql) => {
    const known = prepared.get(sql)
    if (known !== undefined) return known
    const statement = connection.prepare(sql)
    const oldest = prepared.keys().next()
    if (prepared.size >= most && oldest.done !== true) prepared.delete(oldest.value)
    prepared.set(sql, statement)
    return statement
  }
}
