import { keepJournal, type JournalDeps, type Operator } from '../../access/operators/journal.ts'
import type { FactorRemoval } from '../../access/sign-in/second-factors.ts'

export interface ResetFactorAction {
  readonly email: string
  readonly reason: string
}

export type ResetFactorResult = 'reset' | 'unchanged' | 'unknown_person'

const OUTCOMES = { reset: 'done', unchanged: 'unchanged', unknown_person: 'refused' } as const

/**
 * Removes the second factor of a person, with an entry in the journal. Who is asked to must know that it is them: from then
 * on the first factor alone opens the account.
 */
export async function resetFactor(
  { store, ...deps }: JournalDeps & { readonly store: FactorRemoval },
  by: Operator,
  { email, reason }: ResetFactorAction,
): Promise<ResetFactorResult> {
  const userId = await store.findPerson(email)
  const work = async (): Promise<ResetFactorResult> => {
    if (userId === null) return 'unknown_person'
    return (await store.remove(userId)) ? 'reset' : 'unchanged'
  }
  return keepJournal(
    deps,
    by,
    { action: 'person.reset_factor', reason, ...(userId === null ? {} : { subject: userId }) },
    { work, outcomeOf: (result) => OUTCOMES[result] },
  )
}
