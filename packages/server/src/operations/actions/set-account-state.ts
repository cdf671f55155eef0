import { closeAccount, type CloseAccountResult } from '../../access/accounts/close-account.ts'
import { setAccountStatus, type AccountStatus, type SetStatusResult } from '../../access/accounts/set-account-status.ts'
import { keepJournal, type ActionOutcome, type Operator } from '../../access/operators/journal.ts'
import type { OperationsDeps, Writing } from './operations-deps.ts'

type StateDeps = Pick<OperationsDeps, 'journal' | 'clock'> & Writing<'accounts' | 'keys'>

/** An account, and why something is done to it. */
export interface AccountAction {
  readonly accountId: string
  /** In words; null where a command named none. */
  readonly reason: string | null
}

const OUTCOMES: Readonly<Record<SetStatusResult | CloseAccountResult, ActionOutcome>> = {
  changed: 'done',
  unchanged: 'unchanged',
  closed: 'refused',
  already_closed: 'unchanged',
  unknown_account: 'refused',
}

const reasonOf = ({ reason }: AccountAction) => (reason === null ? {} : { reason })

/** Suspends an account or lets it work again, with an entry in the journal. */
export function changeAccountStatus(
  deps: StateDeps,
  by: Operator,
  input: AccountAction & { readonly status: AccountStatus },
): Promise<SetStatusResult> {
  const { accountId, status } = input
  const action = status === 'active' ? 'account.resume' : 'account.suspend'
  return keepJournal(
    deps,
    by,
    { action, accountId, ...reasonOf(input) },
    {
      work: () => setAccountStatus(deps.writesOf(by).accounts, accountId, status),
      outcomeOf: (result) => OUTCOMES[result],
    },
  )
}

/** Closes an account for good, with an entry in the journal. */
export function endAccount(deps: StateDeps, by: Operator, input: AccountAction): Promise<CloseAccountResult> {
  const { clock } = deps
  const { accounts, keys } = deps.writesOf(by)
  const revokeKeys = async (accountId: string): Promise<void> => void (await keys.revokeAllOf(accountId, clock.now()))
  return keepJournal(
    deps,
    by,
    { action: 'account.close', accountId: input.accountId, ...reasonOf(input) },
    {
      work: () => closeAccount({ store: accounts, revokeKeys, clock }, input.accountId),
      outcomeOf: (result) => (result === 'closed' ? 'done' : OUTCOMES[result]),
    },
  )
}
