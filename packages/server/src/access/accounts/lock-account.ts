import type { CompiledQuery } from 'kysely'
import type { Database } from '../../platform/db/database.ts'

/**
 * What is written behind this statement in one transaction is written for one account after the other, so that what it
 * counts is all there is. Holds and settlements do not wait for it.
 */
export function lockAccount({ read }: Pick<Database, 'read'>, accountId: string): CompiledQuery {
  return read
    .updateTable('account')
    .set((set) => ({ name: set.ref('name') }))
    .where('account_id', '=', accountId)
    .compile()
}
