/** What operator commands do to people who sign in. Part of the composition. */
import type { JournalDeps, Operator } from '../access/operators/journal.ts'
import { createSecondFactorStore } from '../access/sign-in/second-factor-store.ts'
import { resetFactor } from '../operations/actions/reset-factor.ts'
import type { AdminContext } from '../operations/commands/admin-context.ts'
import type { Database } from '../platform/db/database.ts'

export function peopleCommands(
  database: Database,
  services: JournalDeps,
  by: Operator,
): Pick<AdminContext, 'resetFactor'> {
  const store = createSecondFactorStore(database)
  return { resetFactor: (input) => resetFactor({ ...services, store }, by, input) }
}
