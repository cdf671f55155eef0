import { ServiceError } from '../../platform/errors/service-error.ts'
import { actingOperator, type JournalDeps, keepJournal, type Operator } from '../../access/operators/journal.ts'
import type { OperatorStore } from '../../access/operators/first-run.ts'
import type { User } from '../../access/sign-in/sign-in.ts'

export interface ManageOperatorsDeps extends JournalDeps {
  readonly operators: Pick<OperatorStore, 'add' | 'remove' | 'list'>
  readonly people: {
    findUser(userId: string): Promise<User | null>
    findUserByEmail(email: string): Promise<User | null>
  }
}

export interface ListedOperator {
  readonly userId: string
  /** Empty for a person who is gone. */
  readonly name: string
  readonly email: string | null
  readonly since: number
}

/** Oldest first. */
export async function listOperators({ operators, people }: ManageOperatorsDeps): Promise<readonly ListedOperator[]> {
  const listed = await operators.list()
  return Promise.all(
    listed.map(async ({ userId, createdAt }) => {
      const user = await people.findUser(userId)
      return { userId, name: user?.name ?? '', email: user?.hasEmail === true ? user.email : null, since: createdAt }
    }),
  )
}

/**
 * Makes a person an operator. They must have signed in before: an address alone does not give this right.
 *
 * @throws {ServiceError} `operator_not_found` where no person with this address has signed in.
 */
export async function addOperator(
  deps: ManageOperatorsDeps,
  by: Operator,
  { email, reason }: { readonly email: string; readonly reason: string },
): Promise<void> {
  const user = await deps.people.findUserByEmail(email)
  if (user === null || !user.hasEmail) {
    throw new ServiceError('operator_not_found', 'No person with this address has signed in here yet.', {
      param: 'email',
    })
  }
  await keepJournal(
    deps,
    by,
    { action: 'operator.add', subject: user.userId, reason, details: { name: user.name } },
    {
      work: () => deps.operators.add(user.userId, deps.clock.now(), actingOperator(by)),
      outcomeOf: (isAdded) => (isAdded ? 'done' : 'unchanged'),
    },
  )
}

/**
 * Takes the right away from an operator. It ends at once: it is read from the rows at every call.
 *
 * @throws {ServiceError} `operator_not_found` for who is none, `last_operator` for the only one.
 */
export async function removeOperator(
  deps: ManageOperatorsDeps,
  by: Operator,
  { userId, reason }: { readonly userId: string; readonly reason: string },
): Promise<void> {
  const isListed = async (): Promise<boolean> => (await deps.operators.list()).some((each) => each.userId === userId)
  if (!(await isListed())) throw new ServiceError('operator_not_found', 'There is no such operator.')
  const user = await deps.people.findUser(userId)
  const isRemoved = await keepJournal(
    deps,
    by,
    { action: 'operator.remove', subject: userId, reason, details: { name: user?.name ?? '' } },
    {
      work: () => deps.operators.remove(userId, actingOperator(by)),
      outcomeOf: (removed) => (removed ? 'done' : 'refused'),
    },
  )
  if (isRemoved) return
  throw new ServiceError('last_operator', 'This is the last operator. Make another person an operator first.')
}
