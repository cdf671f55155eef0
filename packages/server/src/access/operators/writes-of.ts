import type { Database } from '../../platform/db/database.ts'
import { actingOperator, noOperator, type Operator } from './journal.ts'

/**
 * The database as an operator writes to it: what a person does in the console is written while they are an operator, or
 * not at all. Until the end of each write they stay one. A command and a start write as ever.
 */
export function writesOf(database: Database, by: Operator): Database {
  const userId = actingOperator(by)
  if (userId === undefined) return database
  const statement = database.read
    .updateTable('operator')
    .set((set) => ({ created_at: set.ref('created_at') }))
    .where('user_id', '=', userId)
    .compile()
  return { ...database, write: (statements) => database.write(statements, { statement, unmet: noOperator }) }
}
