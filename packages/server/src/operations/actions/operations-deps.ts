/**
 * Room `operations`: what an operator does and sees, for pages and commands alike. Every action has its entry in the
 * journal; nothing here shows a prompt or a secret. Source: decision 0046.
 */
import type { AccountStore } from '../../access/accounts/close-account.ts'
import type { DecisionStore, DepositStore } from '../../deposits/decide-deposit.ts'
import type { LimitDeps, AccountLimitStore } from '../../access/keys/account-limits.ts'
import type { KeyStore } from '../../access/keys/list-keys.ts'
import type { Ledger } from '../../money/ledger/ledger.ts'
import type { JournalDeps } from '../../access/operators/journal.ts'
import type { AccountDirectory } from './account-directory-store.ts'

/** What the actions about accounts, credits and deposits need. */
export interface OperationsDeps extends JournalDeps {
  readonly accounts: AccountStore
  readonly directory: AccountDirectory
  readonly keys: Pick<KeyStore, 'list' | 'listSpent' | 'revokeAllOf'>
  readonly limits: LimitDeps & { readonly accountLimitStore: AccountLimitStore }
  readonly ledger: Pick<Ledger, 'submit'>
  readonly deposits: Pick<DepositStore, 'find' | 'list'>
  readonly decisions: DecisionStore
}
